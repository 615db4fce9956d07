"""``/privacidad``: who is responsible for people's data, what is stored, and their rights."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.selectors import list_providers
from bookings.domain.people.stored_data import list_stored_data
from bookings.payments.backend import is_provider_configured
from bookings.templatetags.class_times import duration


@dataclass(frozen=True, slots=True)
class Cookie:
    name: str
    purpose: str
    kept: str


@require_safe
def show_privacy(request: HttpRequest) -> HttpResponse:
    providers = settings.SOCIALACCOUNT_PROVIDERS
    context = {
        "teacher_email": settings.ADMIN_EMAIL,
        "providers": {provider.id for provider in list_providers()},
        "google_scopes": " ".join(providers["google"].get("SCOPE", [])),
        "github_scopes": " ".join(providers["github"].get("SCOPE", [])),
        "calendar_scope": settings.CALENDAR_SCOPE,
        "asks_everyone_for_calendar": settings.CALENDAR_CONSENT == "everyone",
        "has_online_payments": is_provider_configured(),
        "has_error_reports": settings.HAS_ERROR_REPORTS,
        "stored_data": list_stored_data(),
        "cookies": list_cookies(),
    }
    return render(request, "bookings/privacy.html", context)


def list_cookies() -> list[Cookie]:
    """Return every cookie that the service sets, in the reader's language."""
    return [
        Cookie(
            settings.SESSION_COOKIE_NAME,
            _("Recuerda que ingresaste."),
            _say(settings.SESSION_COOKIE_AGE),
        ),
        Cookie(
            settings.CSRF_COOKIE_NAME,
            _("Protege los formularios de otros sitios."),
            _say(settings.CSRF_COOKIE_AGE),
        ),
        Cookie(
            settings.LANGUAGE_COOKIE_NAME,
            _("Recuerda el idioma que elegiste."),
            _say(settings.LANGUAGE_COOKIE_AGE),
        ),
        Cookie(
            settings.MESSAGE_COOKIE_NAME,
            _("Lleva un mensaje a la página siguiente, como «Guardamos tus datos»."),
            _("hasta que lo ves"),
        ),
    ]


def _say(seconds: int) -> str:
    return duration(timedelta(seconds=seconds))
