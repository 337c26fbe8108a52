-- A page reserves the place of a picture by its size. Its texts lie over it, unseen, so that people can select them.
select
    rank,
    "group",
    kind,
    '<div style="position:relative;width:' || width_pixels || 'px;height:' || height_pixels || 'px">'
    || '<img width="' || width_pixels || '" height="' || height_pixels || '" src="' || drawing || '">'
    || texts || '</div>' as picture,
    tangle_id
from drawings
left join group_labels using (group_id)
