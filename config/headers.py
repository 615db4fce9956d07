"""What each answer tells the browser to refuse, whoever made it: page, JSON, panel, error."""

from csp.middleware import CSPMiddleware
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseFileResponse


class HeadersMiddleware(CSPMiddleware):
    """Adds the content policy and ``SECURITY_HEADERS``; stands first, so no answer gets past it.

    A page gets the policy of pages. Whatever else there is loads nothing, so it may load nothing.
    Static files keep their short headers: they are the same for everybody.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add what is missing; a view that says something else is taken at its word."""
        is_file: bool = isinstance(response, WhiteNoiseFileResponse)
        if is_file:
            return response
        for name, value in settings.SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            return super().process_response(request, response)
        response.headers.setdefault("Content-Security-Policy", settings.CLOSED_POLICY)
        return response
