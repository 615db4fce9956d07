"""Bases of the views of ``/api``."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponseNotAllowed
from django_stubs_ext import StrOrPromise
from rest_framework.views import APIView


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to an exception of the domain; a view's ``refusals`` maps classes to these.

    text: by default the exception's own. has_code: nest text and the exception's ``code`` in
    ``response``. retry_after: seconds, by default the exception's ``wait_seconds``, if any.
    warning: logged before the exception's text.
    """

    status: int
    text: StrOrPromise = ""
    has_code: bool = False
    retry_after: int | None = None
    warning: str = ""


class PlainAPIView(APIView):
    """A view for everybody that answers Django's requests with Django's responses.

    drf-spectacular describes it. Errors reach the handlers of ``config.urls``.
    """

    authentication_classes = []
    parser_classes = []
    permission_classes = []

    @property
    def default_response_headers(self) -> dict[str, str]:
        return {}

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return Django's own request: allauth and ``request.POST`` need it, and it costs least."""
        return request

    def handle_exception(self, exc: Exception) -> Any:
        raise exc

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        return HttpResponseNotAllowed(self.allowed_methods)
