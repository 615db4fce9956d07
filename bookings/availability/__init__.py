"""The free slots between opening hours and busy times."""
