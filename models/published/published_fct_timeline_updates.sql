with

fct_timeline_updates as (

    select * from {{ published_version('fct_timeline_updates') }}

),

final as (

    select
        refresh_number,
        refresh_id,
        tangle_id,
        step,
        command,
        message_id,
        from_position,
        to_position,
        refreshed_at
    from fct_timeline_updates

)

select * from final
