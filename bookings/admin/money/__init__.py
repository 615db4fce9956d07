"""Payments and prices in the panel."""
