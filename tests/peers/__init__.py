"""Other people's programs, unmodified, run against the service: ``python -m tests.peers``."""
