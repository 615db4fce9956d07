"""The worker as a process of its own: stopped, killed, and without its database."""
