"""From the teacher's hours and busy times to the times a student may choose."""
