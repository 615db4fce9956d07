"""Pages of what the teacher sells besides the classes of her list, and of how it is paid."""
