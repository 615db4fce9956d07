"""Django's ``clearsessions``, which is found only in installed apps.

``django.contrib.sessions`` is not one: its table would stay empty beside ``accounts.Session``.
"""

from django.contrib.sessions.management.commands.clearsessions import Command

__all__ = ["Command"]
