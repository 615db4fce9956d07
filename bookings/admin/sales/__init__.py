"""The panel's pages for what the teacher sells besides the price list's classes."""
