"""Middleware and handlers of every request."""
