{{ changed_ids('feed_id', 'int_feeds__people') }}
