select
    group_link,
    action,
    epoch,
    person_link,
    -- Epochs by their short ids, as in the other columns.
    regexp_replace(because, 'ssb:message/[a-z0-9-]+/([A-Za-z0-9_-]{6})[A-Za-z0-9_=-]*', '\1', 'g') as because,
    severity,
    first_seen_at,
    "group",
    person,
    epoch_id,
    person_id
from fct_epoch_repairs
inner join group_labels using (group_id)
left join people_labels using (person_id)
left join epoch_labels using (epoch_id)
