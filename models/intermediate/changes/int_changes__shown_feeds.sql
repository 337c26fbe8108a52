-- A feed's messages also depend on the exclusions that cut it off. They may arrive with any other feed.
with

touched_feeds as (

    select * from {{ ref('int_changes__feeds') }}

),

cutoffs as (

    {{ touched_now_and_before('int_groups__cutoffs', 'group_id', 'int_changes__groups', ['feed_id']) }}

),

final as (

    select feed_id from touched_feeds
    union
    select feed_id from cutoffs

)

select * from final
