-- The steps of the build that is published now. Every whole build checks dim_logs; of other tables, results may be older.
select
    step,
    step_kind,
    status,
    round(seconds, 1) as seconds,
    rows_in,
    rows_out,
    rows_added,
    rows_changed,
    rows_deleted,
    started_at
from fct_builds
where step <> 'build' and build_id in (select build_id from fct_quality_results where table_name = 'dim_logs')
