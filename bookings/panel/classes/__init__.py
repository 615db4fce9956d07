"""Classes in the panel."""
