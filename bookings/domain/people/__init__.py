"""A person's data: export and erasure."""
