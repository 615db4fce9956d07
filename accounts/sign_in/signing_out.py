"""Signing out, so that nothing of the person stays in the browser."""

from typing import TypeVar

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse

# Not the cookies: the session's is deleted anyway, the choice of a language is the browser's, and
# browsers would take those of every other site of the domain along.
FORGET = '"cache", "storage"'

Answer = TypeVar("Answer", bound=HttpResponse)


def sign_out(request: HttpRequest, answer: Answer) -> Answer:
    """End the session and have the browser forget what it was shown; gives ``answer`` back."""
    logout(request)
    answer["Clear-Site-Data"] = FORGET
    return answer
