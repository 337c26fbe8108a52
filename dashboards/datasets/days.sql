select
    day,
    post_count as posts,
    epoch_count as new_epochs,
    exclusion_count as exclusions,
    fork_count as forks,
    repair_count as to_publish,
    member_count as members,
    "group"
from fct_group_days
inner join group_labels using (group_id)
