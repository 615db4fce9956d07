"""Mercado Pago's Checkout Pro."""
