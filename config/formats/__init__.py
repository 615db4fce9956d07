"""The panel's default formats of dates."""
