"""What the teacher sells besides the price list's classes."""
