select
    group_link,
    position,
    asserted_at,
    action,
    actors.person_link as actor_link,
    subjects.person_link as subject_link,
    epoch,
    content_type,
    is_authorized,
    is_past_cutoff,
    "group",
    actors.person,
    message_id,
    substr(split_part(message_id, '/', -1), 1, 6) as message
from fct_group_audit_log
inner join group_labels using (group_id)
left join people_labels as actors on fct_group_audit_log.actor_id = actors.person_id
left join people_labels as subjects on fct_group_audit_log.subject_id = subjects.person_id
left join epoch_labels using (epoch_id)
