"""Pages of what the teacher sells."""
