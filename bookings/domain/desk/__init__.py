"""The teacher's day, opening hours and closures."""
