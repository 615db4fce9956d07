"""Landing, sign-in and profile pages, as people see them."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.messages import constants, get_messages
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest, HttpResponse
from django.test import Client

from accounts.forms import ProfileForm
from accounts.models import Session, User
from accounts.personal_data import erase_account, rename
from bookings.models import VirtualClass
from config.web.messages import NamedCookieStorage
from tests.accounts.flows import session_of, sign_in
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db


PHONE = "+54 341 555-0199"
SETTINGS = {
    "name": "Bruno S. Student",
    "location": "Rosario",
    "level": "basico",
    "phone": PHONE,
    "newsletter": "si",
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


@pytest.mark.parametrize("path", ["/", "/inicio"])
def test_error_is_told_in_spanish_and_its_code_never_repeated(client, path):
    for code, text in (
        ("AccessDenied", "correo verificado"),
        ("OAuthCallback", "El proveedor no respondió"),
        ("Configuration", "no está disponible"),
        ("<script>alert(1)</script>", "No pudimos iniciar tu sesión"),
    ):
        answer = page(client.get(path, {"error": code}))
        assert text in answer
        assert "alert(1)" not in answer


# --- Sign-in ------------------------------------------------------------------------------------


def test_sign_in_page_offers_each_provider_with_a_form(client):
    response = client.get("/inicio")

    assert response.status_code == 200
    assert 'action="/api/auth/signin/google"' in page(response)
    assert 'action="/api/auth/signin/github"' in page(response)
    assert page(response).count('name="csrfmiddlewaretoken"') == 2
    assert page(response).count('name="callbackUrl" value="/inicio"') == 2


@pytest.mark.parametrize("name", ["callbackUrl", "next"])
def test_sign_in_page_keeps_where_the_person_was_going(client, name):
    response = client.get("/inicio", {name: "/inicio/perfil"})

    assert 'name="callbackUrl" value="/inicio/perfil"' in page(response)


def test_sign_in_page_says_so_when_nothing_is_configured(client, settings):
    none = {"APP": {"client_id": "", "secret": ""}}
    settings.SOCIALACCOUNT_PROVIDERS = {"google": none, "github": none}

    assert "no está disponible" in page(client.get("/inicio"))


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
        "Guardamos tus datos."
    ]
    assert {name: getattr(student, name) for name in SETTINGS} == SETTINGS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", "x" * 81),
        ("name", "Ana\u202egnp"),
        ("name", "$$$"),
        ("name", "https://evil.example"),
        ("name", "a@evil"),
        ("name", "\u3164\u3164"),
        ("name", "A" + "\u0301" * 70),
        ("level", "experto"),
        ("newsletter", "yes"),
        ("phone", "llamame"),
        ("location", "x" * 256),
        ("location", "a\tb"),
    ],
)
def test_wrong_value_is_refused(name, value):
    assert list(ProfileForm({**SETTINGS, name: value}).errors) == [name]


@pytest.mark.parametrize(("name", "value"), [("name", ""), ("phone", "1\x002")])
def test_wrong_profile_is_shown_again_and_not_saved(profile_client, student, name, value):
    response = profile_client.post("/inicio/perfil", {**SETTINGS, name: value})

    student.refresh_from_db()
    assert response.status_code == 200
    assert list(response.context["form"].errors) == [name]
    assert student.location == ""


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  María   José O\u2019Higgins ", "María José O\u2019Higgins"),
        ("\u674e\u5c0f\u9f99", "\u674e\u5c0f\u9f99"),
        ("M.Sol D\u00edaz", "M.Sol D\u00edaz"),
    ],
)
def test_a_name_is_mended(profile_client, student, typed, kept):
    profile_client.post("/inicio/perfil", {**SETTINGS, "name": typed})

    student.refresh_from_db()
    assert student.name == kept


def test_a_name_or_phone_that_is_stored_already_stays_as_it_is(profile_client, student):
    stored = {"name": "Ana \U0001f600", "phone": "interno 7"}
    User.objects.update(**stored)

    profile_client.post("/inicio/perfil", {**SETTINGS, **stored})

    student.refresh_from_db()
    assert {name: getattr(student, name) for name in stored} == stored


def test_a_phone_is_kept_in_its_international_spelling(profile_client, student):
    profile_client.post("/inicio/perfil", {**SETTINGS, "phone": "0341 555-0199"})

    student.refresh_from_db()
    assert student.phone == PHONE


def test_the_panel_s_log_follows_a_new_name(student):
    entries = [
        LogEntry.objects.create(user=student, action_flag=2, object_repr=said)
        for said in (f"{student.name} (anfitrión)", f"Confirmación: {student.name}", "Otra persona")
    ]

    rename(user=student, name="Bruno Bravo")

    assert [LogEntry.objects.get(pk=one.pk).object_repr for one in entries] == [
        "Bruno Bravo (anfitrión)",
        "Confirmación: Bruno Bravo",
        "Otra persona",
    ]


def test_the_panel_s_log_keeps_what_it_says_of_a_namesake(student, host):
    """Otherwise two renames would rewrite the log about another student."""
    entry = LogEntry.objects.create(
        user=student, action_flag=2, object_repr=f"Confirmación: {host.name}"
    )

    rename(user=student, name=host.name)
    rename(user=student, name="Bruno Bravo")

    entry.refresh_from_db()
    assert entry.object_repr == f"Confirmación: {host.name}"


def test_erasing_leaves_the_panel_s_log_about_a_namesake(student, host):
    theirs, own = [
        LogEntry.objects.create(
            user=student,
            action_flag=2,
            content_type=ContentType.objects.get_for_model(VirtualClass),
            object_id=str(VirtualClassFactory(booked_by=person).pk),
            object_repr=f"Confirmación: {host.name}",
        )
        for person in (host, student)
    ]
    rename(user=student, name=host.name)

    erase_account(user=student)

    theirs.refresh_from_db()
    own.refresh_from_db()
    assert theirs.object_repr == f"Confirmación: {host.name}"
    assert own.object_repr == "Cuenta borrada"


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


@pytest.mark.usefixtures("kept_seller")
def test_profile_costs_three_queries(profile_client, django_assert_num_queries):
    with django_assert_num_queries(3):
        profile_client.get("/inicio/perfil")


# --- Signing out everywhere ---------------------------------------------------------------------


def test_sign_out_everywhere_ends_every_session(profile_client, student, host):
    elsewhere, somebody = Client(), Client()
    elsewhere.force_login(student)
    somebody.force_login(host)

    response = profile_client.post("/inicio/perfil/cerrar-sesiones")

    assert response["Location"] == "/"
    assert "Cerraste tu sesión en todos lados." in page(profile_client.get("/"))
    assert session_of(profile_client) == session_of(elsewhere) == {}
    assert session_of(somebody)["user"]["email"] == host.email
    assert Session.objects.count() == 1


def test_sign_out_everywhere_is_never_a_link(profile_client):
    response = profile_client.get("/inicio/perfil/cerrar-sesiones")

    assert response.status_code == 405
    assert session_of(profile_client) != {}


SIGN_IN = "/inicio"


def test_page_shows_a_message_once(client):
    store = NamedCookieStorage(HttpRequest())
    response = HttpResponse()
    store._store([Message(constants.SUCCESS, "Borramos tu cuenta.")], response)
    client.cookies["messages"] = response.cookies["messages"].value

    assert "Borramos tu cuenta." in client.get(SIGN_IN).content.decode()
    assert "Borramos tu cuenta." not in client.get(SIGN_IN).content.decode()
