select
    severity,
    rule_id,
    document,
    section,
    found,
    group_link,
    person_link,
    "group",
    person,
    message_id,
    substr(split_part(message_id, '/', -1), 1, 6) as message
from fct_rule_violations
left join group_labels using (group_id)
left join people_labels using (person_id)
