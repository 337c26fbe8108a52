-- Which exclusions lead up to which epochs (4.9 of the group exclusion specification, by its letter).
with

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

pasts as (

    select * from {{ ref('int_groups__pasts') }}

),

epoch_members as (

    select * from {{ ref('int_groups__epoch_members') }}

),

precedence as (

    select * from {{ ref('int_groups__precedence') }}

),

exclusions as (

    select * from changes
    where change = 'exclude'

),

-- An exclusion leads up to an epoch when its first message knows of it ...
known_exclusions as (

    select
        exclusions.message_id,
        epochs.epoch_id,
        exclusions.person_id
    from exclusions
    inner join pasts on exclusions.message_id = pasts.known_id and exclusions.group_id = pasts.group_id
    inner join epochs on pasts.message_id = epochs.epoch_id and pasts.group_id = epochs.group_id

),

-- ... or when its author then created the next epoch: that epoch, and all that succeed it.
direct_successors as (

    select
        epoch_id,
        explode(previous_epoch_ids) as previous_epoch_id
    from epoch_members

),

own_exclusions as (

    select
        exclusions.message_id,
        direct_successors.epoch_id,
        exclusions.person_id
    from exclusions
    inner join direct_successors on exclusions.epoch_id = direct_successors.previous_epoch_id
    inner join epochs
        on direct_successors.epoch_id = epochs.epoch_id and exclusions.author_id = epochs.creator_id

),

inherited_exclusions as (

    select
        own_exclusions.message_id,
        precedence.epoch_id,
        own_exclusions.person_id
    from own_exclusions
    inner join precedence on own_exclusions.epoch_id = precedence.predecessor_id

),

final as (

    select * from known_exclusions
    union
    select * from own_exclusions
    union
    select * from inherited_exclusions

)

select * from final
