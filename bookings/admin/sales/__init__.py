"""What the teacher sells, and how it is paid, in her panel."""
