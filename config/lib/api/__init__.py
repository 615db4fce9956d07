"""What descriptions, texts and views of ``/api`` share."""
