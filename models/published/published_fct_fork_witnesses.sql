with

fct_fork_witnesses as (

    select * from {{ published_version('fct_fork_witnesses') }}

),

final as (

    select
        group_id,
        left_epoch_id,
        right_epoch_id,
        person_id
    from fct_fork_witnesses

)

select * from final
