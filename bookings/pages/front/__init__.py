"""The front page, the student's home, and what search engines, messengers and other sites show."""
