"""The teacher's panel: the admin site and its audit log."""
