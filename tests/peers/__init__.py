"""Programs of others that this service has to work with, run for real: ``python -m tests.peers``."""
