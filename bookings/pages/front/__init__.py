"""The teacher's front page, and what search engines, messengers and her own site show of it."""
