select
    "group",
    kind,
    '<img src="' || drawing || '">' as picture
from drawings
inner join group_labels using (group_id)
