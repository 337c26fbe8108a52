select
    people.person_link,
    group_link,
    epoch,
    owners.person_link as owner_link,
    feed_id,
    missing_id,
    rule,
    should_fetch,
    should_serve,
    people.person,
    "group"
from fct_replication_plan
inner join group_labels using (group_id)
left join people_labels as people on fct_replication_plan.person_id = people.person_id
left join people_labels as owners on fct_replication_plan.owner_id = owners.person_id
left join epoch_labels using (epoch_id)
