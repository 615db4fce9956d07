"""Mails to students and the teacher."""
