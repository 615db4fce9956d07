"""Places in a class, and the waiting list."""
