"""A class's event in the teacher's calendar."""
