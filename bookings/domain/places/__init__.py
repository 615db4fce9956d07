"""Places in a class: codes, joining, leaving, the waiting list."""
