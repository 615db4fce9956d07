"""A class's calendar event, and access to the teacher's calendar."""
