"""The teacher writes her own page, and begins."""
