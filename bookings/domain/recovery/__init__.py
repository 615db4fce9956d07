"""Retries, and repair of differences between our rows and the calendar."""
