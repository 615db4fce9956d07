"""Measurements of the running service; everything on loopback, bounded in count and time."""
