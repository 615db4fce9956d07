"""The teacher's students, and a person's data."""
