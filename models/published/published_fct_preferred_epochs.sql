with

fct_preferred_epochs as (

    select * from {{ published_version('fct_preferred_epochs') }}

),

final as (

    select
        group_id,
        person_id,
        epoch_id,
        rule,
        is_witness,
        is_tip
    from fct_preferred_epochs

)

select * from final
