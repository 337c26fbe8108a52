select
    coalesce(invalid_reason, feed_fault, warning) as fault,
    validity,
    is_valid_in_feed,
    invalid_reason,
    feed_fault,
    warning,
    person_link,
    content_type,
    fct_messages.sequence,
    asserted_at,
    source_file,
    line_number,
    message_id,
    person
from fct_messages
left join people_labels using (person_id)
