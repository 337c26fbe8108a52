select
    tangle_kind,
    group_link,
    message_count as messages,
    set_aside_count as set_aside,
    gap_count as gaps,
    tip_count as tips,
    depth,
    author_count as authors,
    grown_by,
    "group",
    tangle_id
from dim_tangles
left join group_labels using (group_id)
