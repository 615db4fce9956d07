"""The students' pages, at ``/inicio`` and below."""
