"""Who is calling ``/api``: the session cookie, 401 without one, and the decision about CSRF."""

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from accounts.models import User
from config.lib.api_texts import FOREIGN_ORIGIN
from config.lib.origins import is_from_elsewhere


class CookieSessionAuthentication(BaseAuthentication):
    """Recognises the person by the session cookie.

    The documented clients send no CSRF token. Two other barriers stand in its place: the cookie is
    ``SameSite=Lax``, and an unsafe request that a foreign page made the browser send is refused.
    """

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        """Give the signed-in person, None for a stranger. Raises PermissionDenied (403)."""
        refuse_foreign_origin(request._request)
        user = request._request.user
        return (user, None) if user.is_authenticated else None

    def authenticate_header(self, request: Request) -> str:
        """Name the scheme for ``WWW-Authenticate``; without one DRF would answer 403, not 401."""
        return "Session"


def refuse_foreign_origin(request: HttpRequest) -> None:
    """Raise PermissionDenied (403) for an unsafe request that another site sent."""
    if request.method not in SAFE_METHODS and is_from_elsewhere(request):
        raise PermissionDenied(FOREIGN_ORIGIN)
