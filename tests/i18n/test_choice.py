"""Which language a page speaks, and how the choice is remembered."""

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.test import Client

from accounts.middleware import LanguageMiddleware
from accounts.models import Language, User
from tests.accounts.flows import sign_in as sign_in_with

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
        ("pt-BR", "es-ar"),
        ("*", "es-ar"),
        ("x" * 5000, "es-ar"),
        ("\x00;q=nan", "es-ar"),
    ],
)
def test_a_first_visit_is_in_the_browser_s_language_if_it_is_one_of_the_two(client, asked, read):
    assert language_of(client, **{"accept-language": asked}) == read


def test_a_teacher_may_want_spanish_first(client, settings):
    settings.FIRST_LANGUAGE = "spanish"

    assert language_of(client, **{"accept-language": "en"}) == "es-ar"


def test_a_choice_counts_more_than_the_browser_s_own_language(client):
    switch(client, "es-ar")

    assert language_of(client, **{"accept-language": "en"}) == "es-ar"


def test_a_new_person_goes_on_in_the_language_of_the_first_visit(google):
    client = Client(headers={"accept-language": "en"})
    google.add_person(email="ana@example.com")

    sign_in_with(client, "google", "ana@example.com")

    assert User.objects.get(email="ana@example.com").language == Language.ENGLISH


def test_after_signing_out_the_language_stays(host, sign_in):
    User.objects.update(language=Language.ENGLISH)
    client = sign_in(host)

    client.post("/inicio/perfil/cerrar-sesiones")

    assert language_of(client) == "en"


def test_a_person_reads_their_own_language(host, sign_in):
    host.language = Language.ENGLISH
    host.save()

    assert language_of(sign_in(host), "/inicio") == "en"


def test_a_person_s_language_counts_more_than_the_browser_s(host, sign_in):
    client = sign_in(host)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"

    assert language_of(client) == "es-ar"


@pytest.mark.parametrize("cookie", ["fr", "", "x" * 5000, "../en"])
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

    assert "Guardar y agregar otro" in page  # Django's own text


def test_a_student_s_refusal_at_the_panel_is_in_their_language(host, sign_in):
    host.language = Language.ENGLISH
    host.save()

    response = sign_in(host).get("/admin/", follow=True)

    assert response["Content-Language"] == "en"


def test_the_sign_out_page_speaks_the_person_s_language(client):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"

    assert language_of(client, "/api/auth/signout?csrf=true") == "en"


# --- What it costs --------------------------------------------------------------------------------


@pytest.mark.usefixtures("kept_seller")
def test_a_language_costs_a_stranger_no_query(client, django_assert_num_queries):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"

    with django_assert_num_queries(0):
        client.get("/inicio")


# --- How it is remembered -------------------------------------------------------------------------


def test_the_switch_is_remembered_in_the_browser(client):
    response = switch(client, "en")

    cookie = response.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (cookie["max-age"], cookie["samesite"], cookie["httponly"]) == (31_536_000, "Lax", True)
    assert [language_of(client), language_of(client, "/inicio")] == ["en", "en"]


def test_the_cookie_is_for_https_where_the_site_is(client, settings):
    settings.LANGUAGE_COOKIE_SECURE = True

    assert switch(client, "en").cookies["language"]["secure"]


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


def test_a_person_finds_their_language_in_a_browser_where_none_was_chosen(client, google):
    google.add_person(email="ana@example.com")
    sign_in_with(Client(), "google", "ana@example.com")
    User.objects.update(language=Language.ENGLISH)

    sign_in_with(client, "google", "ana@example.com")

    assert language_of(client, "/inicio") == "en"


# --- Where it leads -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("referer", "target"),
    [
        ("http://testserver/inicio/reservar?tipo=grupal", "/inicio/reservar?tipo=grupal"),
        ("http://testserver/", "/"),
        ("https://evil.example/inicio", "/inicio"),
        ("//evil.example", "/inicio"),
        ("", "/inicio"),
    ],
)
def test_the_switch_leads_back_to_the_page(client, referer, target):
    response = switch(client, "en", referer=referer)

    assert (response.status_code, response["Location"]) == (302, target)


@pytest.mark.parametrize("page", ["https://evil.example", "//evil.example", "javascript:x", ""])
def test_the_switch_leads_nowhere_else(client, page):
    response = client.post("/idioma", {"language": "en", "next": page})

    assert response["Location"] == "/"


@pytest.mark.parametrize("language", ["", "fr", "es", "en\r\nX: y"])
def test_a_language_that_is_not_offered_is_refused(host, sign_in, language):
    response = switch(sign_in(host), language)

    host.refresh_from_db()
    assert (response.status_code, host.language) == (400, Language.SPANISH)
    assert settings.LANGUAGE_COOKIE_NAME not in response.cookies


def test_the_switch_is_never_a_link(client):
    assert client.get("/idioma").status_code == 405


@pytest.mark.parametrize(("language", "offered"), [("es-ar", "English"), ("en", "Español")])
def test_the_header_offers_the_other_language_by_its_name(client, language, offered):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language

    page = client.get("/").content.decode()

    other = "en" if language == "es-ar" else "es-ar"
    assert f'name="language" value="{other}" lang="{other}">{offered}</button>' in page


@pytest.mark.parametrize("path", ["/api/auth/signout?csrf=true"])
def test_a_page_one_cannot_come_back_to_has_no_switch(client, path):
    assert 'name="language"' not in client.get(path).content.decode()
