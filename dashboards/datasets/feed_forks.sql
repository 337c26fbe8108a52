select
    person_link,
    feed_id,
    sequence,
    claim_count as claims,
    message_id,
    person
from fct_feed_forks
left join people_labels using (person_id)
