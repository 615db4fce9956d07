"""Django's ``clearsessions``: ``django.contrib.sessions`` is no installed app here."""

from django.contrib.sessions.management.commands.clearsessions import Command

__all__ = ["Command"]
