select
    group_link,
    epochs.epoch,
    excluded.person_link as excluded_link,
    authors.person_link as excluded_by_link,
    followers.epoch as following_epoch,
    late_message_count as late_messages,
    counts,
    -- In a group before epochs no epoch can follow.
    counts and following_epoch_id is null and protocol = 'epochs' as led_to_nothing,
    excluded_at,
    "group",
    excluded.person,
    excluded.person as excluded,
    authors.person as excluded_by,
    message_id
from fct_exclusions
inner join group_labels using (group_id)
inner join dim_groups using (group_id)
left join people_labels as excluded on fct_exclusions.excluded_id = excluded.person_id
left join people_labels as authors on fct_exclusions.excluded_by_id = authors.person_id
left join epoch_labels as epochs on fct_exclusions.epoch_id = epochs.epoch_id
left join epoch_labels as followers on fct_exclusions.following_epoch_id = followers.epoch_id
