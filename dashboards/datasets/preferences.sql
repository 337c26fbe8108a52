select
    person_link,
    group_link,
    epochs.epoch,
    epochs_of_groups.epoch as epoch_of_the_group,
    rule,
    is_witness,
    person,
    "group",
    fct_preferred_epochs.epoch_id,
    preferred_epoch_id as epoch_id_of_the_group
from fct_preferred_epochs
inner join dim_groups using (group_id)
inner join group_labels using (group_id)
left join people_labels using (person_id)
left join epoch_labels as epochs on fct_preferred_epochs.epoch_id = epochs.epoch_id
left join epoch_labels as epochs_of_groups on dim_groups.preferred_epoch_id = epochs_of_groups.epoch_id
