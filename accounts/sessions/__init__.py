"""Sessions: the cookie, its row, and the open browsers of a person."""
