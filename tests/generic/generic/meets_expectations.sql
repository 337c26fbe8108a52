{#- The expectations of a model's entry in yml that do not hold, as Great Expectations finds them
    (src/scuttlehouse/builds/quality.py). A refresh checks the rows that it computes. -#}
{% test meets_expectations(model) %}
    {{ adapter.call_python(
        'scuttlehouse.builds.quality.broken_expectations', relation=model, tested_rows=tested_rows(model) | string
    ) if execute }}
{% endtest %}
