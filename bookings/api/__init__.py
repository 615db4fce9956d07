"""The JSON door: ``/api`` as the specification describes it."""
