"""What is sold: classes, places of open classes, and how their money settles."""
