"""Mails: which are due, rendering and delivery."""
