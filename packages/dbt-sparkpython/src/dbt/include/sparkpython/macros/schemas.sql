{#- The views of a schema: Spark lists those of a catalog of its own, such as Iceberg's, apart from the tables. -#}
{% macro sparkpython_list_views(schema_relation) -%}
  {{ return(run_query('show views in ' ~ schema_relation.include(identifier=false))) }}
{%- endmacro %}


{#- Iceberg drops no namespace with something in it, whatever `cascade` says. -#}
{% macro sparkpython__drop_schema(relation) -%}
  {%- for inner in adapter.list_relations_without_caching(relation) -%}
    {%- do adapter.drop_relation(inner) -%}
  {%- endfor -%}
  {%- do spark__drop_schema(relation) -%}
{%- endmacro %}
