"""Landing, sign-in and profile pages, as people see them."""

import re

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from accounts.models import Session, User
from tests.accounts.flows import session_of, sign_in

pytestmark = pytest.mark.django_db

SETTINGS = {
    "location": "Rosario",
    "level": "basico",
    "phone": "341 555",
    "newsletter": "si",
    "language": "en",
}


def page(response) -> str:
    """Give the page's text."""
    return response.content.decode()


@pytest.fixture
def profile_client(student) -> Client:
    """Give a client signed in as the student."""
    client = Client()
    client.force_login(student)
    return client


# --- Landing and errors -------------------------------------------------------------------------


def test_landing_greets_strangers_without_an_error(client):
    response = client.get("/")

    assert response.status_code == 200
    assert 'role="alert"' not in page(response)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("AccessDenied", "correo verificado"),
        ("OAuthCallback", "El proveedor no respondió"),
        ("Configuration", "no está disponible"),
        ("Anything", "No pudimos iniciar tu sesión"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/inicio"])
def test_error_is_told_in_spanish(client, path, code, text):
    assert text in page(client.get(path, {"error": code}))


@pytest.mark.parametrize("path", ["/", "/inicio"])
def test_error_code_is_never_repeated(client, path):
    response = client.get(path, {"error": "<script>alert(1)</script>"})

    assert "alert(1)" not in page(response)


# --- Sign-in ------------------------------------------------------------------------------------


def test_sign_in_page_offers_each_provider_with_a_form(client):
    response = client.get("/inicio")

    assert response.status_code == 200
    assert 'action="/api/auth/signin/google"' in page(response)
    assert 'action="/api/auth/signin/github"' in page(response)
    assert page(response).count('name="csrfmiddlewaretoken"') == 3  # and the language's
    assert page(response).count('name="callbackUrl" value="/inicio"') == 2


@pytest.mark.parametrize("name", ["callbackUrl", "next"])
def test_sign_in_page_keeps_where_the_person_was_going(client, name):
    response = client.get("/inicio", {name: "/inicio/perfil"})

    assert 'name="callbackUrl" value="/inicio/perfil"' in page(response)


def test_sign_in_page_forgets_foreign_addresses(client):
    response = client.get("/inicio", {"callbackUrl": "https://evil.example"})

    assert "evil.example" not in page(response)


def test_sign_in_page_says_so_when_nothing_is_configured(client, settings):
    none = {"APP": {"client_id": "", "secret": ""}}
    settings.SOCIALACCOUNT_PROVIDERS = {"google": none, "github": none}

    assert "no está disponible" in page(client.get("/inicio"))


def test_sign_in_form_works_with_its_own_token(google):
    browser = Client(enforce_csrf_checks=True)
    form = page(browser.get("/inicio"))
    token = re.search(r'name="csrfmiddlewaretoken"\s+value="(\w+)"', form)[1]

    response = browser.post(
        "/api/auth/signin/google", {"csrfmiddlewaretoken": token, "callbackUrl": "/inicio"}
    )

    assert response["Location"].startswith(google.url)


# --- Profile ------------------------------------------------------------------------------------


def test_stranger_is_sent_to_sign_in_and_back(client):
    response = client.get("/inicio/perfil")

    assert (response.status_code, response["Location"]) == (302, "/inicio?next=/inicio/perfil")


def test_profile_shows_the_settings(profile_client):
    User.objects.update(**SETTINGS)

    response = profile_client.get("/inicio/perfil")

    assert response.context["form"].initial == SETTINGS
    assert 'value="Rosario"' in page(response)


def test_profile_is_saved(profile_client, student):
    response = profile_client.post("/inicio/perfil", SETTINGS)

    student.refresh_from_db()
    assert (response.status_code, response["Location"]) == (302, "/inicio/perfil")
    assert [str(message) for message in get_messages(response.wsgi_request)] == [
        "Your details are saved."
    ]
    assert {name: getattr(student, name) for name in SETTINGS} == SETTINGS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("level", ""),
        ("level", "experto"),
        ("newsletter", "yes"),
        ("language", ""),
        ("language", "fr"),
        ("phone", "1" * 31),
        ("phone", "1\x002"),
        ("location", "x" * 256),
        ("location", "a\tb"),
    ],
)
def test_wrong_profile_is_shown_again_and_not_saved(profile_client, student, name, value):
    response = profile_client.post("/inicio/perfil", {**SETTINGS, name: value})

    student.refresh_from_db()
    assert response.status_code == 200
    assert list(response.context["form"].errors) == [name]
    assert student.location == ""


def test_markup_in_the_profile_is_escaped(profile_client):
    User.objects.update(location="<script>alert(1)</script>")

    assert "<script>alert(1)" not in page(profile_client.get("/inicio/perfil"))


def test_profile_post_needs_the_form_s_token(student):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(student)

    response = browser.post("/inicio/perfil", SETTINGS)

    assert response.status_code == 403


def test_profile_lists_what_is_connected_and_offers_the_rest(google, github, client):
    google.add_person(email="ana@example.com")
    sign_in(client, "google", "ana@example.com")

    before = client.get("/inicio/perfil")
    sign_in(client, "github", "work@example.com", process="connect")
    after = client.get("/inicio/perfil")

    assert [one.label for one in before.context["identities"]] == ["ana@example.com"]
    assert [*before.context["other_providers"]] == ["github"]
    assert 'name="process" value="connect"' in page(before)
    assert [one.provider_name for one in after.context["identities"]] == ["Google", "GitHub"]
    assert 'name="process" value="connect"' not in page(after)


def test_profile_costs_three_queries(profile_client, django_assert_num_queries):
    with django_assert_num_queries(3):
        profile_client.get("/inicio/perfil")


def test_profile_is_not_kept_by_caches(profile_client):
    assert "no-store" in profile_client.get("/inicio/perfil")["Cache-Control"]


# --- Signing out everywhere ---------------------------------------------------------------------


def test_sign_out_everywhere_ends_every_session(profile_client, student, host):
    elsewhere, somebody = Client(), Client()
    elsewhere.force_login(student)
    somebody.force_login(host)

    response = profile_client.post("/inicio/perfil/cerrar-sesiones")

    assert response["Location"] == "/"
    assert session_of(profile_client) == session_of(elsewhere) == {}
    assert session_of(somebody)["user"]["email"] == host.email
    assert Session.objects.count() == 1


def test_sign_out_everywhere_is_never_a_link(profile_client):
    response = profile_client.get("/inicio/perfil/cerrar-sesiones")

    assert response.status_code == 405
    assert session_of(profile_client) != {}
