"""Which language a page speaks, and how a choice is remembered."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts.models import Language


def language_of(request: HttpRequest) -> str:
    """Give a page's language: the signed-in person's, else the one chosen here, else our own.

    ``Accept-Language`` has no say: many browsers in Argentina are installed in English, whoever
    sits in front of them.
    """
    if request.user.is_authenticated:
        return request.user.language
    return language_chosen_in_browser(request) or settings.LANGUAGE_CODE


def language_chosen_in_browser(request: HttpRequest) -> str | None:
    """Give the language that somebody chose in this browser, if they did."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)
    return chosen if chosen in Language.values else None


def remember_in_browser(response: HttpResponse, language: str) -> None:
    """Keep a choice in a cookie, for when nobody is signed in."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
