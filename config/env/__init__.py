"""The environment, read once into typed values."""
