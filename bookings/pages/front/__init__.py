"""The front page, and what search engines, messengers and other sites show of it."""
