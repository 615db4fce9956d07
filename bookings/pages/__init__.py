"""The pages at ``/inicio`` and below, for students."""
