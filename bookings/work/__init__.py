"""The worker, its sweeps, and how their health is known."""
