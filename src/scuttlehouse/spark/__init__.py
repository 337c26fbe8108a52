"""What Spark's processes need: the class archive, and what workers have on a cluster or a server."""
