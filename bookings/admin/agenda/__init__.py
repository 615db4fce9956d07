"""Opening hours, closures and the calendar in the panel."""
