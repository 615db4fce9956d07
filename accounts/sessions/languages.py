"""The language of pages."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language_from_request

from accounts.models import Language


def language_of(request: HttpRequest) -> str:
    """Return the person's language, else the browser's choice, else that of a first visit."""
    if request.user.is_authenticated:
        return request.user.language
    if chosen := language_chosen_in_browser(request):
        return chosen
    # Many browsers in Argentina are installed in English.
    if settings.FIRST_LANGUAGE == "spanish":
        return settings.LANGUAGE_CODE
    return get_language_from_request(request)


def language_chosen_in_browser(request: HttpRequest) -> str | None:
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)
    return chosen if chosen in Language.values else None


def remember_in_browser(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
