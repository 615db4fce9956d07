"""The week, its hours and the rules of booking."""
