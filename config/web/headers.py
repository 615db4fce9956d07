"""What each answer tells the browser to refuse, whoever made it: page, JSON, panel, error."""

from collections.abc import Callable
from functools import cache
from http import HTTPStatus

from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseFileResponse

POLICY = "Content-Security-Policy"
# Django's own pages for these, in development, have styles inside them.
DEBUG_PAGES = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.INTERNAL_SERVER_ERROR})


class HeadersMiddleware:
    """Adds the content policy and ``SECURITY_HEADERS`` to whatever an answer is made by.

    Before it stand only those that make no answer of their own: ``ObservingMiddleware``, which
    counts and names, and on one's own machine Django's compression.

    A page gets the policy of pages. Whatever else there is loads nothing, so it may load nothing.
    Static files keep their short headers: they are the same for everybody.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add what is missing; a view that says something else is taken at its word."""
        response = self.get_response(request)
        if not isinstance(response, WhiteNoiseFileResponse):
            _complete(response)
        return response


def _complete(response: HttpResponse) -> None:
    for name, value in settings.SECURITY_HEADERS.items():
        # What Django does last; before, it would look for line breaks and odd letters in each
        # of these constants, which costs an eighth of what a small answer costs in all.
        response.headers._store.setdefault(name.lower(), (name, value))
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        response.headers.setdefault(POLICY, settings.CLOSED_POLICY)
    elif not (settings.DEBUG and response.status_code in DEBUG_PAGES):
        response.headers.setdefault(POLICY, _page_policy())


@cache
def _page_policy() -> str:
    """Write CONTENT_SECURITY_POLICY as a header, once: it is the same for every page."""
    return build_policy(config=settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]) or ""
