"""Middleware and error handlers."""
