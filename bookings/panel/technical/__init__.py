"""Mails, webhooks and the calendar, for the technical pages."""
