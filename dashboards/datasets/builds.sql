select
    started_at,
    status,
    round(seconds, 1) as seconds,
    rows_added,
    rows_changed,
    rows_deleted,
    message,
    build_id
from fct_builds
where step = 'build'
