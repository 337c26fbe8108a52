-- What every dataset begins with: how groups, people, epochs and tangles are named, and the links to their dashboards.
-- Anybody may use any name, so a name stands beside the beginning of the id, and beside all of it if two would look
-- the same. Strangers choose names: marks of HTML in them become similar ones, and links hold them as codes.
with

named as (

    select 'group' as kind, group_id as id, short_id, name from dim_groups
    union all
    select 'person', person_id, short_id, name from dim_people

),

short_labels as (

    select
        kind,
        id,
        translate(
            case
                when name is null then short_id
                when contains(name, short_id) then name
                else name || ' · ' || short_id
            end,
            '<>&"''',
            '‹›＆”’'
        ) as label
    from named

),

labels as (

    select
        kind,
        id,
        label || if(count(*) over (partition by kind, label) > 1, ' ' || id, '') as label
    from short_labels

),

links as (

    select
        kind,
        id,
        label,
        '<a href="/superset/dashboard/a-' || kind || '/?native_filters=(NATIVE_FILTER-' || kind
        || ':(extraFormData:(filters:!((col:' || kind || ',op:IN,val:!('''
        || url_encode(replace(label, '!', '!!')) || ''')))),filterState:(value:!('''
        || url_encode(replace(label, '!', '!!')) || ''')),id:NATIVE_FILTER-' || kind
        || '))">' || label || '</a>' as link
    from labels

),

group_labels as (

    select id as group_id, label as "group", link as group_link from links
    where kind = 'group'

),

people_labels as (

    select id as person_id, label as person, link as person_link from links
    where kind = 'person'

),

epoch_labels as (

    select epoch_id, short_id as epoch from dim_epochs

)

