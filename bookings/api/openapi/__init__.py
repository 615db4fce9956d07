"""Descriptions of webhooks."""
