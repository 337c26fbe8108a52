with

new_logs as (

    select * from {{ ref('stg_landing__new_logs') }}

),

log_feeds as (

    select * from {{ ref('stg_ssb__log_feeds') }}

),

published_log_feeds as (

    select * from {{ base_of('stg_ssb__log_feeds', ['source_file', 'feed_id']) }}

),

all_lines as (

    select * from {{ ref('stg_ssb__landed_lines') }}

),

-- The lines that this build reads, and the lines that no longer count because their log has changed.
ssb_lines as (

    {{ now_and_before('stg_ssb__landed_lines', ['source_file', 'message_id']) }}

),

pzp_lines as (

    {{ now_and_before('stg_pzp__landed_lines', ['source_file', 'message_id']) }}

),

-- An announcement may come in any log. Then the log of its owner counts for one feed more.
changed_log_feeds as (

    (
        select * from log_feeds
        except
        select * from published_log_feeds
    )
    union all
    (
        select * from published_log_feeds
        except
        select * from log_feeds
    )

),

lines as (

    select * from ssb_lines
    union all
    select * from pzp_lines

),

final as (

    select lines.message_id
    from lines
    left semi join new_logs on lines.source_file = new_logs.source_file
    where lines.message_id is not null and {{ is_refresh() | lower }}
    union
    select all_lines.message_id
    from all_lines
    left semi join changed_log_feeds
        on
            all_lines.source_file = changed_log_feeds.source_file
            and {{ feed_of_key('all_lines.feed_id') }} = changed_log_feeds.feed_id
    where all_lines.message_id is not null and {{ is_refresh() | lower }}

)

select * from final
