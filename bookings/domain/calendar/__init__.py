"""A class in the teacher's calendar: its event, and access to the calendar."""
