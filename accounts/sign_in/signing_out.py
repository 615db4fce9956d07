"""Signing out."""

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse

# Not cookies: browsers would delete those of every other site of the domain too.
FORGET = '"cache", "storage"'


def sign_out(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """End the session; ``answer`` clears the browser's cache and storage."""
    logout(request)
    answer["Clear-Site-Data"] = FORGET
    return answer
