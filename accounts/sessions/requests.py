"""Requests whose person is known, for the type checker."""

from django.http import HttpRequest

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request that ``login_required`` or the admin let through: ``user`` is a person."""

    user: User
