select
    group_link,
    person_link,
    epoch,
    valid_from_at,
    valid_to_at,
    is_excluded,
    is_current,
    valid_from_position,
    valid_to_position,
    "group",
    person
from fct_membership_history
inner join group_labels using (group_id)
left join people_labels using (person_id)
left join epoch_labels using (epoch_id)
