"""The demo: the whole product with made-up people, and stand-ins for the providers."""
