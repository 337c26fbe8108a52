{#- The views of a schema. In a catalog such as Iceberg's, Spark lists them separately from the tables. -#}
{% macro sparkpython_list_views(schema_relation) -%}
  {{ return(run_query('show views in ' ~ schema_relation.include(identifier=false))) }}
{%- endmacro %}


{#- Iceberg drops a namespace only if it is empty, whatever `cascade` says. -#}
{% macro sparkpython__drop_schema(relation) -%}
  {%- for inner in adapter.list_relations_without_caching(relation) -%}
    {%- do adapter.drop_relation(inner) -%}
  {%- endfor -%}
  {%- do spark__drop_schema(relation) -%}
{%- endmacro %}
