-- The first message of a group does not hold the group's id. Its ciphertext and key prove it, or else
-- add-member messages connect the two.
with

group_messages as (

    select * from {{ ref('stg_ssb__group_messages') }}

),

people as (

    select * from {{ ref('int_feeds__people') }}

),

tangle_fields as (

    select * from {{ ref('stg_ssb__tangle_fields') }}

),

founders as (

    select
        tangle_fields.message_id as root_id,
        people.person_id as founder_id
    from tangle_fields
    inner join people on tangle_fields.feed_id = people.feed_id
    where
        tangle_fields.tangle_kind = 'group'
        and tangle_fields.root_id is null
        and tangle_fields.fault is null
        and tangle_fields.content_type = 'group/init'
        and tangle_fields.validity != 'invalid'

),

proven_claims as (

    select
        founders.root_id,
        group_messages.made_group_id as group_id,
        true as is_proven,
        true as is_founders_word,
        0 as claimant_count
    from founders
    inner join group_messages on founders.root_id = group_messages.message_id
    where group_messages.made_group_id is not null

),

-- Anybody may name a root and a group that do not belong together. The founder's word counts most.
claims_of_people as (

    select
        founders.root_id,
        group_messages.group_id,
        false as is_proven,
        bool_or(people.person_id = founders.founder_id) as is_founders_word,
        count(distinct people.person_id) as claimant_count
    from group_messages
    inner join founders on group_messages.root_id = founders.root_id
    inner join people on group_messages.feed_id = people.feed_id
    where group_messages.content_type = 'group/add-member' and group_messages.group_id is not null
    group by founders.root_id, group_messages.group_id

),

claims as (

    select * from proven_claims
    union all
    select * from claims_of_people

),

claims_of_roots as (

    select
        *,
        bool_or(is_proven) over (partition by root_id) as is_root_proven
    from claims

),

-- A root that proves its group makes no other.
ranked_claims as (

    select
        root_id,
        group_id,
        row_number() over (
            partition by root_id order by is_founders_word desc, claimant_count desc, group_id asc
        ) as group_number,
        row_number() over (
            partition by group_id
            order by is_proven desc, is_founders_word desc, claimant_count desc, root_id asc
        ) as root_number
    from claims_of_roots
    where is_proven or not is_root_proven

),

named_roots as (

    select
        root_id,
        group_id
    from ranked_claims
    where group_number = 1 and root_number = 1

),

-- If nothing proves the group, and nobody has named it with a word that counts, its first message names it
-- (ruling R34).
final as (

    select
        founders.root_id,
        coalesce(named_roots.group_id, concat('unnamed:', founders.root_id)) as group_id
    from founders
    left join named_roots on founders.root_id = named_roots.root_id

)

select * from final
