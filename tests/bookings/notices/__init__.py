"""What is due is sent once, and reads well."""
