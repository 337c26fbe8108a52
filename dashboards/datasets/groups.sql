select
    group_link,
    "group",
    epoch as preferred_epoch,
    epoch_count as epochs,
    tip_count as newest_epochs,
    fork_count as forks,
    repair_count as to_publish,
    current_member_count as members,
    message_count as messages,
    last_message_at,
    created_at,
    group_id
from dim_groups
inner join group_labels using (group_id)
left join epoch_labels on dim_groups.preferred_epoch_id = epoch_labels.epoch_id
