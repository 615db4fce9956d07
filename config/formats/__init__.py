"""How the panel writes dates where no page says it."""
