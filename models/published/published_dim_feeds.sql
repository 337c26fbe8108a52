with

dim_feeds as (

    select * from {{ published_version('dim_feeds') }}

),

final as (

    select
        feed_id,
        person_id,
        feed_format,
        feed_purpose,
        message_count,
        first_sequence,
        last_sequence,
        valid_through_sequence,
        gap_count,
        is_forked,
        has_known_person
    from dim_feeds

)

select * from final
