"""The tables of the catalog database, and PostgreSQL's fence around the work namespaces."""

from __future__ import annotations

from secrets import token_hex

# The first two are those of Iceberg's JDBC catalog, schema version V1.
TABLES = (
    "create table if not exists iceberg_tables (catalog_name varchar(255) not null, "
    "table_namespace varchar(255) not null, table_name varchar(255) not null, "
    "metadata_location varchar(1000), previous_metadata_location varchar(1000), "
    "iceberg_type varchar(5), primary key (catalog_name, table_namespace, table_name))",
    "create table if not exists iceberg_namespace_properties (catalog_name varchar(255) not null, "
    "namespace varchar(255) not null, property_key varchar(255), property_value varchar(1000), "
    "primary key (catalog_name, namespace, property_key))",
    "create table if not exists scuttlehouse_builds (build_id varchar(255) primary key, "
    "record text not null, checksum varchar(64) not null)",
    "create table if not exists scuttlehouse_state (only_row integer primary key "
    "check (only_row = 1), record text not null, checksum varchar(64) not null)",
)

# Other programs read all columns. So a column with a damaged name is reported here, before they fail.
ALL_COLUMNS = (
    "select catalog_name, table_namespace, table_name, metadata_location, "
    "previous_metadata_location, iceberg_type from iceberg_tables limit 0",
    "select catalog_name, namespace, property_key, property_value "
    "from iceberg_namespace_properties limit 0",
)

# This process, for connections to PostgreSQL that write tables: an option of the connection.
BUILDER = token_hex(8)
BUILDER_OPTION = f"-c scuttlehouse.builder={BUILDER}"

# A builder whose connection is cut loses its lock, and another build may begin. The first one goes on, and
# Spark would write its tables into the work namespace, among those of the other build.
FENCE = (
    """
    create or replace function scuttlehouse_fence() returns trigger language plpgsql as $$
    begin
        if exists (
            select from scuttlehouse_state
            where (record::jsonb #> array[
                'works', coalesce(new.table_namespace, old.table_namespace), 'superseded'
            ]) @> to_jsonb(current_setting('scuttlehouse.builder', true))
        ) then
            raise exception 'This build has lost its lock, and another build has begun since. '
                'Wait until that one ends, and build again.';
        end if;
        return coalesce(new, old);
    end $$
    """,
    "create or replace trigger scuttlehouse_fence before insert or update or delete on iceberg_tables "
    "for each row execute function scuttlehouse_fence()",
)
