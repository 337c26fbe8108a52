"""How a dbt run begins, ends, publishes and is logged."""
