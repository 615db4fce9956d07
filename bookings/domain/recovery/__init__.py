"""Finish what failed, and repair what differs between our rows and the calendar."""
