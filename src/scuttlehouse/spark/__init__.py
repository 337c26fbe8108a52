"""What Spark's processes need: imports, workers, the class archive."""
