"""Views of ``/api/auth`` with the bodies of NextAuth.js 4. Spec: Authentication endpoints."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, cast

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.views import View
from drf_spectacular.types import OpenApiTypes
from rest_framework.views import APIView

from accounts.api.serializers import CsrfTokenSerializer
from accounts.models import User
from accounts.provider import callback_address
from accounts.selectors import list_providers
from accounts.sessions.engine import SessionStore
from accounts.sign_in.redirects import absolute
from config.lib.api import BODY_TOO_LARGE, operation

# NextAuth's text. Django's never_cache would also write the date into ``Expires``.
NEVER_CACHE = "private, no-cache, no-store, max-age=0, must-revalidate"
METHOD_NOT_ALLOWED = "Método no permitido."


class AuthView(APIView):
    """Handlers get Django's request: allauth needs it, and NextAuth's client sends forms.

    A POST that acts has to check ``has_csrf_token``.
    """

    authentication_classes = []
    permission_classes = []
    http_method_names = ["get", "post", "head"]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            response = View.dispatch(self, request, *args, **kwargs)
        except RequestDataTooBig:  # raised where the form is first read
            response = JsonResponse({"error": BODY_TOO_LARGE}, status=413)
        response.headers["Cache-Control"] = NEVER_CACHE
        return response

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        return JsonResponse(
            {"error": METHOD_NOT_ALLOWED},
            status=HTTPStatus.METHOD_NOT_ALLOWED,
            headers={"Allow": ", ".join(self.allowed_methods)},
        )


class ProvidersView(AuthView):
    @operation("listProviders", responses=OpenApiTypes.OBJECT)
    def get(self, request: HttpRequest) -> HttpResponse:
        return JsonResponse(
            {
                provider_id: {
                    "id": provider_id,
                    "name": name,
                    "type": "oauth",
                    "signinUrl": absolute(f"/api/auth/signin/{provider_id}"),
                    "callbackUrl": callback_address(provider_id),
                }
                for provider_id, name in list_providers().items()
            }
        )


class SessionView(AuthView):
    @operation("getSession", responses=OpenApiTypes.OBJECT)
    def get(self, request: HttpRequest) -> HttpResponse:
        """Spec: Authentication, 5."""
        user, store = request.user, cast(SessionStore, request.session)
        # In this order: reading the person loads the session, which may renew it.
        if not user.is_authenticated or not (expires_at := store.expires_at):
            return JsonResponse({})
        return JsonResponse({"user": _session_user(user), "expires": _milliseconds(expires_at)})

    @operation("updateSession", request=None, responses=OpenApiTypes.OBJECT)
    def post(self, request: HttpRequest) -> HttpResponse:
        return self.get(request)


class CsrfView(AuthView):
    @operation("getCsrfToken", responses=CsrfTokenSerializer)
    def get(self, request: HttpRequest) -> HttpResponse:
        return JsonResponse({"csrfToken": get_token(request)})


class LogView(AuthView):
    @operation("logSignInError", request=None, responses={204: None})
    def post(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _session_user(user: User) -> dict[str, str]:
    shown = {"id": str(user.pk), "name": str(user), "email": user.email, "image": user.image}
    return {key: value for key, value in shown.items() if value}


def _milliseconds(moment: datetime) -> str:
    """Return ``2026-12-20T08:10:00.000Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
