"""Webhooks: signed requests about classes to addresses that the teacher entered."""
