"""Opening hours and busy times turned into free slots."""
