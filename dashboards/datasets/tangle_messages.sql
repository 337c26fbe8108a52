select
    status,
    status_reason,
    tangle_kind,
    group_link,
    person_link,
    content_type,
    asserted_at,
    blocking_ids,
    "group",
    person,
    message_id,
    tangle_id
from fct_tangle_messages
left join group_labels using (group_id)
left join people_labels using (person_id)
