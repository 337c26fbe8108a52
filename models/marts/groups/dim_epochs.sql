with

epochs as (

    select * from {{ ref('int_groups__epochs') }}

),

epoch_members as (

    select * from {{ ref('int_groups__epoch_members') }}

),

final as (

    select
        epochs.epoch_id,
        epochs.group_id,
        epochs.creator_id,
        epochs.depth,
        case
            when epochs.key_rank is not null
                then dense_rank() over (partition by epochs.group_id order by epochs.key_rank nulls last)
        end as key_rank,
        size(epoch_members.member_ids) as member_count,
        epochs.is_root,
        epochs.is_tip,
        {{ timestamp_of('epochs.asserted_ms') }} as asserted_at
    from epochs
    inner join epoch_members on epochs.epoch_id = epoch_members.epoch_id

)

select * from final
