-- A page reserves the place of a picture by its size.
select
    "group",
    kind,
    '<img width="' || width_pixels || '" height="' || height_pixels || '" src="' || drawing || '">' as picture
from drawings
inner join group_labels using (group_id)
