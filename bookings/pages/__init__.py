"""The students' pages."""
