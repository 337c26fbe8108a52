with

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

judged_epochs as (

    select * from {{ ref('int_groups__judged_epochs') }}

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

timelines as (

    select * from {{ ref('int_groups__timelines') }}

),

judged as (

    select * from {{ ref('int_groups__judged') }}

),

groups as (

    select * from {{ ref('dim_groups') }}

),

names as (

    select * from {{ ref('int_feeds__person_names') }}

),

unfollowed_exclusions as (

    select distinct epoch_id
    from changes
    where change = 'exclude' and counts and following_epoch_id is null

),

late_posts as (

    select distinct timelines.epoch_id
    from judged
    inner join timelines on judged.message_id = timelines.message_id and judged.group_id = timelines.group_id
    where judged.is_late and judged.kind = 'other'

),

wrong_secrets as (

    select distinct changes.epoch_id
    from changes
    inner join group_messages on changes.message_id = group_messages.message_id
    inner join epochs on changes.epoch_id = epochs.epoch_id
    where
        changes.change = 'add'
        and changes.is_authorized is distinct from false
        and group_messages.key_hash != epochs.key_hash

),

final as (

    select
        epochs.epoch_id,
        epochs.group_id,
        {{ short_id('epochs.epoch_id') }} as short_id,
        groups.name as group_name,
        epochs.creator_id,
        {{ person_name('epochs.creator_id', 'names.name') }} as creator_name,
        epochs.depth,
        -- Anybody can make epochs with any keys. Their places among the others would tell the keys of these.
        case
            when epochs.key_rank is not null and judged_epochs.is_authorized is distinct from false
                then dense_rank() over (
                    partition by epochs.group_id, judged_epochs.is_authorized is distinct from false
                    order by epochs.key_rank nulls last
                )
        end as key_rank,
        size(judged_epochs.member_ids) as member_count,
        epochs.is_root,
        judged_epochs.is_tip,
        judged_epochs.is_authorized,
        epochs.has_valid_members_tangle,
        epochs.has_short_key,
        size(judged_epochs.member_ids) = 0 as is_empty,
        judged_epochs.has_all_missing,
        not array_contains(judged_epochs.member_ids, epochs.creator_id) as has_foreign_creator,
        unfollowed_exclusions.epoch_id is not null and groups.protocol = 'epochs'
            as has_unfollowed_exclusion,
        late_posts.epoch_id is not null as has_late_post,
        wrong_secrets.epoch_id is not null as has_wrong_secret,
        {{ timestamp_of('epochs.asserted_ms') }} as asserted_at
    from epochs
    inner join judged_epochs on epochs.epoch_id = judged_epochs.epoch_id
    left join names on epochs.creator_id = names.person_id
    inner join groups on epochs.group_id = groups.group_id
    left join unfollowed_exclusions on epochs.epoch_id = unfollowed_exclusions.epoch_id
    left join late_posts on epochs.epoch_id = late_posts.epoch_id
    left join wrong_secrets on epochs.epoch_id = wrong_secrets.epoch_id

)

select * from final
