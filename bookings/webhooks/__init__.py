"""Webhooks: signed requests about classes to the teacher's other systems."""
