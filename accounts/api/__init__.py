"""``/api/auth`` and ``/api/user-data``."""
