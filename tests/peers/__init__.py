"""Programs of others, run for real beside this service: ``python -m tests.peers``."""
