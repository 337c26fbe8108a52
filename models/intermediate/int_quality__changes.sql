-- Made beside the expectations, so it leaves out fct_quality_results, which every build writes anew.
{%- set marts = checked_marts() | reject('equalto', 'fct_quality_results') | list %}
{%- for mart in marts %}
-- depends_on: {{ ref(mart) }}
{%- endfor %}
with

compared_rows as (

    {{ rows_to_compare(marts) }}

),

compared_keys as (

    select
        mart,
        row_key,
        max(case when is_new then row_hash end) as new_hash,
        max(case when not is_new then row_hash end) as published_hash
    from compared_rows
    group by mart, row_key

),

final as (

    select
        mart,
        count_if(row_key is not null and published_hash is null) as rows_added,
        count_if(new_hash != published_hash) as rows_changed,
        count_if(row_key is not null and new_hash is null) as rows_gone
    from compared_keys
    group by mart

)

select * from final
