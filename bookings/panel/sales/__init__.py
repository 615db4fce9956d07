"""What the teacher sells, and how it is paid."""
