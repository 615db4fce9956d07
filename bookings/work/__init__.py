"""The worker, its sweeps and their health."""
