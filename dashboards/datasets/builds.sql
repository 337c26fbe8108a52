-- Runs. As in build_steps.sql, the build that is published now is the one that checked dim_logs: after a rollback, the
-- log of runs also has the later builds.
select
    started_at,
    status,
    round(seconds, 1) as seconds,
    rows_added,
    rows_changed,
    rows_deleted,
    message,
    build_id,
    build_id in (select build_id from fct_quality_results where table_name = 'dim_logs') as is_published
from fct_builds
where step = 'build'
