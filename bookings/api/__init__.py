"""The views of ``/api``."""
