select
    "group",
    kind,
    drawing
from drawings
inner join group_labels using (group_id)
