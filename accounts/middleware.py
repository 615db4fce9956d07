"""The request's person and language, and the privacy of answers."""

from collections.abc import Callable
from functools import partial
from typing import cast

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject

from accounts.models import User
from accounts.sessions.engine import SessionStore
from accounts.sessions.languages import language_of
from accounts.sign_in.fresh_sign_in import is_panel_session

# Below /api, only this page is for people.
PAGES_OF_THE_API = {"/api/auth/signout"}
PROBES = {"/healthz", "/readyz", "/metrics"}
# The same for all visitors, with any cookies.
IMPERSONAL = {*PROBES, "/robots.txt", "/sitemap.xml", "/horarios/embebido"}


class SessionUserMiddleware(AuthenticationMiddleware):
    def process_request(self, request: HttpRequest) -> None:
        request.user = cast(User, SimpleLazyObject(partial(_signed_in_user, request)))


class PrivacyMiddleware(MiddlewareMixin):
    """Add ``no-store`` to personal answers, or the back button shows them after sign-out."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if "Cache-Control" not in response and (
            request.path_info.startswith("/api/")
            or (request.session.accessed and request.user.is_authenticated)
        ):
            response["Cache-Control"] = "private, no-store"
        if "private" not in response.get("Cache-Control", "private"):
            # Django replaces a malformed CSRF cookie and deletes that of an ended session: a cache
            # would do it to all visitors.
            request.META.pop("CSRF_COOKIE_NEEDS_UPDATE", None)
            request.COOKIES.pop(settings.SESSION_COOKIE_NAME, None)
        return response


class LanguageMiddleware:
    """Answer pages in the language of ``language_of``, API and panel in Spanish."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_panel = request.path_info.startswith("/admin/") and request.user.is_staff
        if is_panel or _is_impersonal(request):
            with translation.override(settings.LANGUAGE_CODE):
                return self.get_response(request)
        with translation.override(language_of(request)):
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language())
        patch_vary_headers(response, ["Cookie", "Accept-Language"])
        return response


def _is_impersonal(request: HttpRequest) -> bool:
    path = request.path_info
    if path in IMPERSONAL or path.startswith("/foto/"):
        return True
    return path.startswith("/api/") and path not in PAGES_OF_THE_API


def _signed_in_user(request: HttpRequest) -> User | AnonymousUser:
    store = cast(SessionStore, request.session)
    user = store.user
    if user and user.is_active and (not user.is_staff or is_panel_session(store, user)):
        return user
    return AnonymousUser()
