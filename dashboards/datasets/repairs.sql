select
    group_link,
    action,
    epoch,
    person_link,
    because,
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
