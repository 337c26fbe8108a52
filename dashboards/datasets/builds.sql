select
    started_at,
    status,
    seconds,
    rows_added,
    rows_changed,
    rows_deleted,
    message,
    build_id
from fct_builds
where step = 'build'
