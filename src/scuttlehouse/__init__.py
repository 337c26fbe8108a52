"""Scuttlebutt's tangles, order, epochs and feeds as plain functions: no Spark, no dbt."""
