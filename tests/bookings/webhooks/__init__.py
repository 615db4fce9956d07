"""What other systems are told."""
