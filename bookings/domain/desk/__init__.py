"""The teacher's day, her opening hours and her closures."""
