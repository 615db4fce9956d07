"""From a chosen time to a paid and scheduled class."""
