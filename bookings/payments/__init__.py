"""What the payment provider says; what it means for a class is ``domain/checkout/settling.py``."""
