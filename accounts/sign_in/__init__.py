"""Sign-in with the two identity providers."""
