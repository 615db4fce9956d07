"""Payments and prices."""
