"""What a class is in the teacher's calendar: its event, and the way in to the calendar."""
