"""Which language a page speaks, how the choice is remembered, and what speaks one language."""

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.test import Client
from django.utils import translation

from accounts.middleware import LanguageMiddleware
from accounts.models import Language, User
from bookings.domain.calendar.drafts import draft_event
from tests.accounts.flows import sign_in as sign_in_with
from tests.api.bodies import booking_body, post
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db


def language_of(client: Client, path: str = "/", **headers: str) -> str:
    """Read a page and give the language it declares, the same in head and headers."""
    response = client.get(path, headers=headers)
    declared = response["Content-Language"]
    assert f'<html lang="{declared}">' in response.content.decode()
    return declared


def switch(client: Client, language: str, **headers: str):
    """Press the button in the header."""
    form = {"language": language, "next": "/inicio"}
    return client.post("/idioma", form, headers=headers)


# --- What a page speaks ---------------------------------------------------------------------------


def test_a_stranger_reads_spanish(client):
    assert language_of(client) == "es-ar"


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("en-US,en;q=0.9", "en"),
        ("es-ES,es;q=0.9,en;q=0.8", "es-ar"),
        ("de,en;q=0.5", "en"),
        ("\x00;q=nan", "es-ar"),
    ],
)
def test_a_first_visit_is_in_the_browser_s_language_if_it_is_one_of_the_two(client, asked, read):
    assert language_of(client, **{"accept-language": asked}) == read


def test_a_teacher_may_want_spanish_first(client, settings):
    settings.FIRST_LANGUAGE = "spanish"

    assert language_of(client, **{"accept-language": "en"}) == "es-ar"


def test_a_new_person_goes_on_in_the_language_of_the_first_visit(google):
    client = Client(headers={"accept-language": "en"})
    google.add_person(email="ana@example.com")

    sign_in_with(client, "google", "ana@example.com")

    assert User.objects.get(email="ana@example.com").language == Language.ENGLISH


@pytest.mark.parametrize("cookie", ["fr", "../en"])
def test_a_cookie_with_another_language_is_ignored(client, cookie):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = cookie

    assert language_of(client) == "es-ar"


def test_a_page_differs_by_cookie_for_caches(rf):
    request = rf.get("/")
    request.user = AnonymousUser()

    response = LanguageMiddleware(lambda request: HttpResponse())(request)

    assert (response["Vary"], response["Content-Language"]) == (
        "Cookie, Accept-Language",
        "es-ar",
    )


def test_the_panel_speaks_spanish(teacher, sign_in):
    teacher.language = Language.ENGLISH
    teacher.save()

    page = sign_in(teacher).get("/admin/bookings/price/add/").content.decode()

    assert 'value="Guardar"' in page  # Django's own text


# --- What it costs --------------------------------------------------------------------------------


@pytest.mark.usefixtures("kept_seller")
def test_a_language_costs_a_stranger_no_query(client, django_assert_num_queries):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"

    with django_assert_num_queries(0):
        client.get("/inicio")


# --- How it is remembered -------------------------------------------------------------------------


def test_the_switch_is_remembered_in_the_browser():
    client = Client(enforce_csrf_checks=True)  # the form has no token
    response = switch(client, "en")

    cookie = response.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (cookie["max-age"], cookie["samesite"], cookie["httponly"]) == (31_536_000, "Lax", True)
    assert [language_of(client), language_of(client, "/inicio")] == ["en", "en"]


def test_the_switch_is_remembered_with_the_person(host, sign_in):
    switch(sign_in(host), "en")

    host.refresh_from_db()
    assert host.language == Language.ENGLISH
    assert language_of(sign_in(host), "/inicio") == "en"  # another browser


@pytest.mark.parametrize("is_known", [False, True], ids=["new person", "known person"])
def test_a_language_chosen_on_the_way_stays_after_signing_in(client, google, is_known):
    google.add_person(email="ana@example.com")
    if is_known:
        sign_in_with(Client(), "google", "ana@example.com")
    switch(client, "en")

    sign_in_with(client, "google", "ana@example.com")

    assert language_of(client, "/inicio") == "en"
    assert User.objects.get(email="ana@example.com").language == Language.ENGLISH


def test_another_site_does_not_switch_the_language(host, sign_in):
    response = switch(sign_in(host), "en", origin="https://evil.example")

    host.refresh_from_db()
    assert (response.status_code, host.language) == (403, Language.SPANISH)
    assert not response.cookies


# --- Where it leads -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("referer", "target"),
    [
        ("http://testserver/inicio/reservar?tipo=grupal", "/inicio/reservar?tipo=grupal"),
        ("https://evil.example/inicio", "/inicio"),
        ("", "/inicio"),
    ],
)
def test_the_switch_leads_back_to_the_page(client, referer, target):
    response = switch(client, "en", referer=referer)

    assert (response.status_code, response["Location"]) == (302, target)


@pytest.mark.parametrize("page", ["https://evil.example", ""])
def test_the_switch_leads_nowhere_else(client, page):
    response = client.post("/idioma", {"language": "en", "next": page})

    assert response["Location"] == "/"


@pytest.mark.parametrize("language", ["fr", "en\r\nX: y"])
def test_a_language_that_is_not_offered_is_refused(host, sign_in, language):
    response = switch(sign_in(host), language)

    host.refresh_from_db()
    assert (response.status_code, host.language) == (400, Language.SPANISH)
    assert settings.LANGUAGE_COOKIE_NAME not in response.cookies


@pytest.mark.parametrize(("language", "offered"), [("es-ar", "English"), ("en", "Español")])
def test_the_header_offers_the_other_language_by_its_name(client, language, offered):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language

    page = client.get("/").content.decode()

    other = "en" if language == "es-ar" else "es-ar"
    assert f'name="language" value="{other}" lang="{other}">{offered}</button>' in page


# --- The API and the teacher's calendar speak one language ----------------------------------------


CALLS = {
    "booking, missing field": ("POST", "/api/booking", {"start": "2030-01-05T15:00:00-03:00"}),
    "booking, too long": ("POST", "/api/booking", booking_body(end="2030-01-07T15:00:00-03:00")),
    "booking, preference taken": ("POST", "/api/booking", booking_body(preferenceId="taken")),
    "calendar, unknown preference": ("POST", "/api/calendar", {"preferenceId": "unknown"}),
    "code, own class": ("POST", "/api/access-code", '"ABCD2345"'),
    "profile": ("GET", "/api/user-data", ""),
    "profile, wrong level": ("POST", "/api/user-data", {"location": "", "level": "x", "phone": ""}),
    "method not allowed": ("DELETE", "/api/booking", ""),
    "nothing there": ("GET", "/api/nothing", ""),
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
