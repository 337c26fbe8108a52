-- A feed's messages also hang on the exclusions that cut it off, which may come with any other feed.
with

touched_feeds as (

    select * from {{ ref('int_refresh__feeds') }}

),

exclusions as (

    {{ touched_now_and_before('fct_exclusions', 'group_id', 'int_refresh__groups', ['group_feed_id']) }}

),

final as (

    select feed_id from touched_feeds
    union
    select group_feed_id as feed_id from exclusions
    where group_feed_id is not null

)

select * from final
