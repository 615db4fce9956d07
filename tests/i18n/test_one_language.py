"""What speaks one language whoever asks: the API, and the teacher's calendar."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

from accounts.models import Language
from bookings.domain.calendar.drafts import draft_event
from tests.api.bodies import booking_body, post
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db

CALLS = {
    "booking, wrong type": ("POST", "/api/booking", booking_body(price="5000")),
    "booking, missing field": ("POST", "/api/booking", {"start": "2030-01-05T15:00:00-03:00"}),
    "booking, too long": ("POST", "/api/booking", booking_body(end="2030-01-07T15:00:00-03:00")),
    "booking, end first": ("POST", "/api/booking", booking_body(end="2029-01-05T15:00:00-03:00")),
    "booking, preference taken": ("POST", "/api/booking", booking_body(preferenceId="taken")),
    "booking, no JSON": ("POST", "/api/booking", "{"),
    "calendar, no preference": ("POST", "/api/calendar", {}),
    "calendar, unknown preference": ("POST", "/api/calendar", {"preferenceId": "unknown"}),
    "code, no text": ("POST", "/api/access-code", {"code": "ABCD2345"}),
    "code, unknown": ("POST", "/api/access-code", '"ZZZZ9999"'),
    "code, own class": ("POST", "/api/access-code", '"ABCD2345"'),
    "profile": ("GET", "/api/user-data", ""),
    "profile, wrong level": ("POST", "/api/user-data", {"location": "", "level": "x", "phone": ""}),
    "profile, too long": ("POST", "/api/user-data", {"location": "x" * 300, "level": "basico"}),
    "method not allowed": ("DELETE", "/api/booking", ""),
    "method not allowed, sign-in": ("DELETE", "/api/auth/session", ""),
    "nothing there": ("GET", "/api/nothing", ""),
    "providers": ("GET", "/api/auth/providers", ""),
    "error page": ("GET", "/api/auth/error?error=Callback", ""),
}


def answer(client: Client, method: str, path: str, body: object):
    """Give everything that a program reads of an answer."""
    if method == "POST":
        response = post(client, path, body)
    else:
        response = client.generic(method, path, content_type="application/json")
    names = ("Content-Type", "Location", "WWW-Authenticate", "Content-Language")
    headers = {name: response.headers.get(name) for name in names}
    return response.status_code, headers, response.content


@pytest.mark.parametrize("is_signed_in", [True, False], ids=["signed in", "stranger"])
def test_the_api_answers_the_same_in_every_language(is_signed_in, host, sign_in):
    VirtualClassFactory(preference_id="taken")
    VirtualClassFactory(scheduled=True, booked_by=host, access_code="ABCD2345")
    client = sign_in(host) if is_signed_in else Client()
    spanish = {name: answer(client, *call) for name, call in CALLS.items()}

    type(host).objects.update(language=Language.ENGLISH)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"

    assert {name: answer(client, *call) for name, call in CALLS.items()} == spanish


def test_the_calendar_event_is_spanish_whatever_page_asked_for_it():
    virtual_class = VirtualClassFactory.build(max_participants=5)
    spanish = draft_event(virtual_class)

    with translation.override("en"):
        english = draft_event(virtual_class)

    assert english == spanish
    assert english.description == "La clase será grupal, para 5 participantes."
