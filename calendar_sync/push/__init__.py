"""Push channels: the provider reports changes."""
