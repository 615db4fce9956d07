"""Prices, preferences, charges and refunds."""
