"""The catalog of the warehouse: which tables are published, which builds are kept, which build is running."""
