"""People in the panel."""
