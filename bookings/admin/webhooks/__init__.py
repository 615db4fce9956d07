"""Webhook endpoints and deliveries in the panel."""
