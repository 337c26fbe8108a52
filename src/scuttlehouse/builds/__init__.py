"""How a run of dbt begins, ends, publishes and is logged."""
