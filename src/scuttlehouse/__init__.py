"""Scuttlebutt's tangles, order, epochs and feeds as plain functions, without Spark and dbt."""
