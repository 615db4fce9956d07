"""Retries, and repair of differences from the calendar."""
