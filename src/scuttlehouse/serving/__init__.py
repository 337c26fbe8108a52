"""The published tables in the form that dashboards read."""
