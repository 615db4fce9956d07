"""Signing in and out with Google and GitHub."""
