"""Push channels: the provider says that the calendar changed."""
