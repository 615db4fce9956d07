"""From booking a class to its end."""
