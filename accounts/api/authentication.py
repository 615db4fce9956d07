"""Authentication of ``/api``."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from accounts.models import User
from config.lib.addresses import is_from_elsewhere
from config.lib.api import FOREIGN_ORIGIN


class CookieSessionAuthentication(BaseAuthentication):
    """Check the origin instead of a CSRF token, which the documented clients do not send."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        refuse_foreign_origin(request)
        user = request._request.user  # as DRF's SessionAuthentication: request.user asks this class
        return (user, None) if user.is_authenticated else None

    def authenticate_header(self, request: Request) -> str:
        """Make DRF answer 401 instead of 403."""
        return "Session"


def refuse_foreign_origin(request: Request) -> None:
    if request.method not in SAFE_METHODS and is_from_elsewhere(request):
        raise PermissionDenied(FOREIGN_ORIGIN)
