select
    owners.person_link,
    group_link,
    action,
    epoch,
    people.person_link as whom_link,
    -- Epochs by their short ids, as in the other columns.
    regexp_replace(because, 'ssb:message/[a-z0-9-]+/([A-Za-z0-9_-]{6})[A-Za-z0-9_=-]*', '\1', 'g') as because,
    source_file,
    owners.person,
    "group"
from fct_peer_repairs
inner join group_labels using (group_id)
left join people_labels as owners on fct_peer_repairs.owner_id = owners.person_id
left join people_labels as people on fct_peer_repairs.person_id = people.person_id
left join epoch_labels using (epoch_id)
