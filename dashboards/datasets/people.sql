select
    person_link,
    group_count as groups_now,
    ever_group_count as groups_ever,
    differing_group_count as groups_with_another_epoch,
    message_count as messages,
    feed_count as feeds,
    received_exclusion_count as exclusions_received,
    made_exclusion_count as exclusions_made,
    last_message_at,
    first_message_at,
    person,
    person_id
from dim_people
inner join people_labels using (person_id)
