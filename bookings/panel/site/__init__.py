"""The teacher's own page."""
