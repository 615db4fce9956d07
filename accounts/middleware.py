"""Who is asking, in which language to answer, and that the answer is for nobody else."""

from collections.abc import Callable
from functools import partial
from typing import cast

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.middleware import MessageMiddleware
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.functional import SimpleLazyObject

from accounts.models import User
from accounts.sessions.engine import SessionStore
from accounts.sessions.languages import language_of
from accounts.sign_in.fresh_sign_in import is_panel_session

# Programs read what is below /api, but for this page, which asks a person something.
PAGES_OF_THE_API = {"/api/auth/signout"}
PROBES = {"/healthz", "/readyz", "/metrics"}


class SessionUserMiddleware(AuthenticationMiddleware):
    """Sets ``request.user`` from the session store, which has read the person with the row.

    Django's own would ask its backend for the person: a second query on every request.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Promise the person; nothing is read until a view looks."""
        request.user = cast(User, SimpleLazyObject(partial(_signed_in_user, request)))


class PrivacyMiddleware:
    """Keeps what a person sees, and what ``/api`` answers, out of the browser's store.

    Otherwise going back shows it after signing out. A page that says how it may be kept is taken
    at its word, and one that has not looked at the session holds nothing of a person.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the header where it is missing. Costs no query: the session is read, or none is."""
        response = self.get_response(request)
        if "Cache-Control" not in response and _may_be_personal(request):
            response["Cache-Control"] = "private, no-store"
        return response


class PageMessageMiddleware(MessageMiddleware):
    """Django's own for pages and panel; answers to programs have no messages, and make no store."""

    def process_request(self, request: HttpRequest) -> None:
        """Give a page its store."""
        if not _is_for_programs(request):
            super().process_request(request)


class LanguageMiddleware:
    """Answers pages in the language of whoever reads them, API and panel always in Spanish.

    Django's own would read ``Accept-Language`` (see ``language_of``) and would not know the
    person. A stranger or an API call costs no query here, a signed-in person their session's,
    which the page makes anyway.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Activate the language while the request is answered, and declare it."""
        if not _has_a_choice(request):
            if translation.get_language() == settings.LANGUAGE_CODE:
                return self.get_response(request)  # as it is between requests
            with translation.override(settings.LANGUAGE_CODE):
                return self.get_response(request)
        with translation.override(language_of(request)):
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language())
        patch_vary_headers(response, ["Cookie"])
        return response


def _has_a_choice(request: HttpRequest) -> bool:
    if _is_for_programs(request):
        return False
    return not (request.path_info.startswith("/admin/") and request.user.is_staff)


def _is_for_programs(request: HttpRequest) -> bool:
    path = request.path_info
    return path in PROBES or (path.startswith("/api/") and path not in PAGES_OF_THE_API)


def _may_be_personal(request: HttpRequest) -> bool:
    if request.path_info.startswith("/api/"):
        return True
    return request.session.accessed and request.user.is_authenticated


def _signed_in_user(request: HttpRequest) -> User | AnonymousUser:
    """Return the session's person; staff only in a session of the identity that opens the panel."""
    store = cast(SessionStore, request.session)
    user = store.user
    if user is None or not user.is_active:
        return AnonymousUser()
    if user.is_staff and not is_panel_session(store, user):
        return AnonymousUser()
    return user
