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
        first_sequence,
        last_sequence,
        message_count,
        valid_through_sequence,
        gap_count,
        has_known_person,
        is_forked
    from dim_feeds

)

select * from final
