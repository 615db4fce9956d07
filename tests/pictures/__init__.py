"""``make pictures``: the pictures of the README, the handbook and the students' pages."""
