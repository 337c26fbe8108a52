select
    source_file,
    person_link as owner_link,
    status,
    status_reason,
    form,
    line_count as lines,
    rejected_line_count as rejected_lines,
    size_bytes,
    modified_at,
    person
from dim_logs
left join people_labels on dim_logs.owner_id = people_labels.person_id
