"""Who has a place in a class: codes, joining, leaving, the waiting list."""
