"""What the views of ``/api`` share."""
