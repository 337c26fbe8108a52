with

dim_logs as (

    select * from {{ published_version('dim_logs') }}

),

final as (

    select
        landing_folder,
        source_file,
        status,
        content_hash,
        batch_id,
        replaced_batch_id,
        lines_hash,
        size_bytes,
        line_count,
        rejected_line_count,
        modified_at
    from dim_logs

)

select * from final
