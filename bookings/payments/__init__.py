"""Payment providers: one interface, and a folder for each provider."""
