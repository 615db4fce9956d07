"""The teacher's panel: the admin site."""
