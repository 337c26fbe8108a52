-- A feed's messages also depend on the exclusions that cut it off. They may arrive with any other feed.
with

touched_feeds as (

    select * from {{ ref('int_changes__feeds') }}

),

touched_groups as (

    select * from {{ ref('int_changes__groups') }}

),

exclusions as (

    select * from {{ ref('int_groups__member_changes') }}
    where change = 'exclude'

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

cutoffs_before as (

    select * from {{ base_of('int_groups__cutoffs', {'group_id': 'string', 'feed_id': 'string'}) }}

),

feeds_cut_off_now as (

    select explode(group_messages.all_cutoff_feed_ids) as feed_id
    from group_messages
    inner join exclusions on group_messages.message_id = exclusions.message_id
    left semi join touched_groups on exclusions.group_id = touched_groups.group_id

),

feeds_cut_off_before as (

    select cutoffs_before.feed_id
    from cutoffs_before
    left semi join touched_groups on cutoffs_before.group_id = touched_groups.group_id

),

final as (

    select feed_id from touched_feeds
    union
    select feed_id from feeds_cut_off_now
    union
    select feed_id from feeds_cut_off_before

)

select * from final
