"""What things cost, and the money that came and goes back."""
