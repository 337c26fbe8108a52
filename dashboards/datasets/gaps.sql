select
    tangle_kind,
    group_link,
    missing_id,
    needed_by_count as needed_by,
    blocked_count as waiting,
    "group",
    tangle_id
from fct_tangle_gaps
left join group_labels using (group_id)
