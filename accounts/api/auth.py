"""Views of ``/api/auth`` with the bodies of NextAuth.js 4. Spec: Authentication endpoints."""

from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from drf_spectacular.utils import OpenApiResponse, extend_schema

from accounts.api.serializers import CsrfTokenSerializer
from accounts.models import User
from accounts.provider import callback_address
from accounts.selectors import list_providers
from accounts.sessions.engine import SessionStore
from accounts.sign_in.redirects import absolute
from config.lib.api.schema import answer, from_settings, object_of
from config.lib.api.texts import BODY_TOO_LARGE
from config.lib.api.views import PlainAPIView

# NextAuth's text. Django's never_cache would also write the date into ``Expires``.
NEVER_CACHE = "private, no-cache, no-store, max-age=0, must-revalidate"
METHOD_NOT_ALLOWED = "Método no permitido."
describe = partial(extend_schema, tags=["Sign-in"])
TOKEN = "kHzX4rZp0m8cW2sVbN6yQ1tJ7uLd9eGf"  # noqa: S105 # an example
PROVIDERS = {
    "google": {
        "id": "google",
        "name": "Google",
        "type": "oauth",
        "signinUrl": "http://localhost:8000/api/auth/signin/google",
        "callbackUrl": "http://localhost:8000/api/auth/callback/google",
    }
}
PROVIDERS_SCHEMA = {
    "type": "object",
    "additionalProperties": object_of({key: {"type": "string"} for key in PROVIDERS["google"]}),
}
SESSION = {
    "user": {
        "id": "7d1f6f0e-4f0b-4d3c-9a56-0a5a3f0f1c11",
        "name": "Diego Díaz",
        "email": "diego@demo.example",
    },
    "expires": "2030-02-04T18:00:00.000Z",
}
USER_SCHEMA = object_of(
    {
        "id": {"type": "string", "format": "uuid"},
        "name": {"type": "string"},
        "email": {"type": "string", "format": "email"},
        "image": {"type": "string", "format": "uri"},
    },
    optional=("image",),
)
SIGNED_IN_SCHEMA = object_of(
    {"user": USER_SCHEMA, "expires": {"type": "string", "format": "date-time"}}
)
SESSION_ANSWER = answer(
    {"anyOf": [SIGNED_IN_SCHEMA, {"type": "object", "maxProperties": 0}]},
    "The signed-in person and the end of the session; empty without a session.",
    SESSION,
    {},
)


class AuthView(PlainAPIView):
    """A POST that acts has to check ``has_csrf_token``."""

    http_method_names = ["get", "post", "head"]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            response = super().dispatch(request, *args, **kwargs)
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
    @describe(
        operation_id="listProviders",
        summary="List the providers to sign in with",
        responses={
            200: answer(PROVIDERS_SCHEMA, "Those that have credentials, by their id.", PROVIDERS)
        },
    )
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
    @describe(
        operation_id="getSession",
        summary="Ask who is signed in",
        description=from_settings(
            "An empty object for a stranger. Asking renews a session older than "
            "{SESSION_UPDATE_AGE}."
        ),
        responses={200: SESSION_ANSWER},
    )
    def get(self, request: HttpRequest) -> HttpResponse:
        """Spec: Authentication, 5."""
        user, store = request.user, cast(SessionStore, request.session)
        # In this order: reading the person loads the session, which may renew it.
        if not user.is_authenticated or not (expires_at := store.expires_at):
            return JsonResponse({})
        return JsonResponse({"user": _session_user(user), "expires": _milliseconds(expires_at)})

    @describe(
        operation_id="updateSession",
        summary="Ask who is signed in, as NextAuth's update() does",
        description="The body is ignored: the session is answered as it is.",
        request=None,
        responses={200: SESSION_ANSWER},
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        return self.get(request)


class CsrfView(AuthView):
    @describe(
        operation_id="getCsrfToken",
        summary="Get the token that signing in and out ask for",
        description="Its cookie comes along; both have to be sent.",
        responses={200: answer(CsrfTokenSerializer, "The token.", {"csrfToken": TOKEN})},
    )
    def get(self, request: HttpRequest) -> HttpResponse:
        return JsonResponse({"csrfToken": get_token(request)})


class LogView(AuthView):
    @describe(
        operation_id="logSignInError",
        summary="Take what NextAuth's client reports about itself",
        description="The report is dropped.",
        request=None,
        responses={204: OpenApiResponse(description="It is dropped.")},
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _session_user(user: User) -> dict[str, str]:
    shown = {"id": str(user.pk), "name": str(user), "email": user.email, "image": user.image}
    return {key: value for key, value in shown.items() if value}


def _milliseconds(moment: datetime) -> str:
    """Return ``2026-12-20T08:10:00.000Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
