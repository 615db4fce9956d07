"""From booking a class to its end: one module a transition."""
