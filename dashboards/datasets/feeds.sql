select
    person_link,
    feed_id,
    feed_format,
    feed_purpose,
    message_count as messages,
    last_sequence,
    valid_through_sequence,
    gap_count as gaps,
    is_forked,
    has_known_person,
    last_message_at,
    person
from dim_feeds
left join people_labels using (person_id)
