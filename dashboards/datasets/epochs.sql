select
    short_id as epoch,
    person_link as created_by_link,
    asserted_at,
    depth,
    member_count as members,
    is_tip as is_newest,
    is_authorized,
    has_valid_members_tangle,
    is_empty,
    has_foreign_creator,
    has_unfollowed_exclusion,
    has_late_post,
    has_wrong_secret,
    has_short_key,
    "group",
    person,
    group_link,
    epoch_id
from dim_epochs
inner join group_labels using (group_id)
left join people_labels on dim_epochs.creator_id = people_labels.person_id
