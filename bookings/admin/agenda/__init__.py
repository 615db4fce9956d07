"""Hours, closures and calendar."""
