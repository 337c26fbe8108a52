select
    group_link,
    left_epochs.epoch as left_epoch,
    right_epochs.epoch as right_epoch,
    rule,
    winners.epoch as winner,
    witness_count as witnesses,
    is_current,
    needs_repair,
    healers.epoch as healed_by,
    began_at,
    "group",
    left_epoch_id,
    right_epoch_id
from fct_epoch_forks
inner join group_labels using (group_id)
left join epoch_labels as left_epochs on fct_epoch_forks.left_epoch_id = left_epochs.epoch_id
left join epoch_labels as right_epochs on fct_epoch_forks.right_epoch_id = right_epochs.epoch_id
left join epoch_labels as winners on fct_epoch_forks.winner_epoch_id = winners.epoch_id
left join epoch_labels as healers on fct_epoch_forks.healed_by_epoch_id = healers.epoch_id
