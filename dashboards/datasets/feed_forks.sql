select
    person_link,
    feed_id,
    fct_feed_forks.sequence,
    claim_count as claims,
    message_id,
    person
from fct_feed_forks
inner join dim_feeds using (feed_id)
left join people_labels using (person_id)
