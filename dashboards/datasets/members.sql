select
    group_link,
    epoch,
    people.person_link,
    is_declared,
    is_excluded,
    is_correct,
    is_missing,
    is_extra,
    is_readded as is_added_again,
    authors.person as added_by,
    added_at,
    excluders.person as excluded_by,
    excluded_at,
    "group",
    people.person
from fct_epoch_members
inner join group_labels using (group_id)
left join epoch_labels using (epoch_id)
left join people_labels as people on fct_epoch_members.person_id = people.person_id
left join people_labels as authors on fct_epoch_members.added_by_id = authors.person_id
left join people_labels as excluders on fct_epoch_members.excluded_by_id = excluders.person_id
