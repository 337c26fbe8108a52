"""What processes of Spark need: imports, workers, the class archive."""
