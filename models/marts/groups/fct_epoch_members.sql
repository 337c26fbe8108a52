with

changes as (

    select * from {{ ref('int_groups__member_changes') }}

),

corrections as (

    select * from {{ ref('int_groups__correct_members') }}

),

pasts as (

    select * from {{ ref('int_groups__pasts') }}

),

numbered_additions as (

    select
        epoch_id,
        group_id,
        person_id,
        author_id,
        asserted_ms,
        row_number() over (
            partition by epoch_id, person_id order by asserted_ms, message_id
        ) as addition_number
    from changes
    where change = 'add'

),

additions as (

    select * from numbered_additions
    where addition_number = 1

),

exclusions as (

    select distinct
        epoch_id,
        group_id,
        person_id
    from changes
    where change = 'exclude'

),

-- Added to the epoch by somebody who knew of an exclusion.
readditions as (

    select distinct
        additions.epoch_id,
        additions.person_id
    from changes as additions
    inner join pasts on additions.message_id = pasts.message_id and additions.group_id = pasts.group_id
    inner join changes as exclusions
        on
            pasts.known_id = exclusions.message_id
            and pasts.group_id = exclusions.group_id
            and additions.person_id = exclusions.person_id
    where additions.change = 'add' and exclusions.change = 'exclude'

),

people as (

    select
        epoch_id,
        group_id,
        person_id
    from additions
    union
    select
        epoch_id,
        group_id,
        person_id
    from exclusions
    union
    select
        epoch_id,
        group_id,
        person_id
    from corrections

),

final as (

    select
        people.epoch_id,
        people.group_id,
        people.person_id,
        additions.author_id as added_by_id,
        additions.person_id is not null as is_declared,
        exclusions.person_id is not null as is_excluded,
        corrections.person_id is not null as is_correct,
        corrections.person_id is not null and additions.person_id is null as is_missing,
        corrections.person_id is null and additions.person_id is not null as is_extra,
        readditions.person_id is not null as is_readded,
        {{ timestamp_of('additions.asserted_ms') }} as added_at
    from people
    left join additions on people.epoch_id = additions.epoch_id and people.person_id = additions.person_id
    left join exclusions on people.epoch_id = exclusions.epoch_id and people.person_id = exclusions.person_id
    left join
        corrections
        on people.epoch_id = corrections.epoch_id and people.person_id = corrections.person_id
    left join
        readditions
        on people.epoch_id = readditions.epoch_id and people.person_id = readditions.person_id

)

select * from final
