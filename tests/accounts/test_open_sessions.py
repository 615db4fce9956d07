"""The list of sessions on the profile page, and closing them one by one."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from accounts.models import Session
from accounts.sessions.open_sessions import name_browser
from tests.accounts.flows import session_of, sign_in

pytestmark = pytest.mark.django_db

PHONE = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/130.0.0.0 Mobile Safari/537.36"
)
DESK = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
NOW = datetime(2026, 11, 20, 8, 10, tzinfo=UTC)


def browser_of(user):
    """Sign a person in with one more browser."""
    client = Client()
    client.force_login(user)
    return client


def listed(client):
    return client.get("/inicio/perfil").context["sessions"]


def handle_of(client):
    """Give the handle that the session of ``client`` has on everybody's list."""
    return next(session.handle for session in listed(client) if session.is_this_one)


def close(client, handle):
    return client.post("/inicio/perfil/cerrar-sesion", {"session": handle})


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (PHONE, "Chrome en Android"),
        (DESK, "Firefox en Linux"),
        (PHONE + " Edg/130.0", "Edge en Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Safari/604.1", "Safari en iPhone"),
        ("curl/8.5.0", "Navegador desconocido"),
        ("", "Navegador desconocido"),
    ],
)
def test_browser_has_a_name(user_agent, name):
    assert name_browser(user_agent) == name


# --- The list -------------------------------------------------------------------------------------


def test_list_holds_nobody_elses_and_nothing_expired(student, host, time_machine):
    time_machine.move_to(NOW, tick=False)
    browser_of(student)
    browser_of(host)
    time_machine.move_to(NOW + timedelta(days=31), tick=False)

    assert len(listed(browser_of(student))) == 1


def test_no_key_and_no_user_agent_stand_on_the_page(google):
    google.add_person(email="ana@example.com", name="Ana")
    client = Client(HTTP_USER_AGENT=f"<script>alert(1)</script>{PHONE}")
    sign_in(client, "google", "ana@example.com")

    page = client.get("/inicio/perfil").content.decode()

    session = Session.objects.get()
    assert "alert(1)" in session.user_agent
    assert "alert(1)" not in page
    assert session.session_key not in page


@pytest.mark.parametrize("user_agent", ["x" * 5_000, "a\0b\x1b[0m"], ids=["long", "control"])
def test_any_user_agent_is_kept_within_bounds(google, user_agent):
    google.add_person(email="ana@example.com", name="Ana")

    sign_in(Client(HTTP_USER_AGENT=user_agent), "google", "ana@example.com")

    stored = Session.objects.get().user_agent
    assert stored.isprintable()
    assert 0 < len(stored) <= 300


@pytest.mark.usefixtures("kept_seller")
def test_list_costs_the_same_for_one_and_for_twelve(student, django_assert_num_queries):
    client = browser_of(student)
    for _ in range(11):
        browser_of(student)

    with django_assert_num_queries(3):
        assert len(listed(client)) == 12


# --- Closing --------------------------------------------------------------------------------------


def test_one_session_is_closed_and_the_others_stay(student):
    this, lost, other = browser_of(student), browser_of(student), browser_of(student)

    response = close(this, handle_of(lost))

    assert response["Location"] == "/inicio/perfil"
    assert session_of(lost) == {}
    assert session_of(this)["user"] == session_of(other)["user"] != {}


@pytest.mark.parametrize("handle", ["", "x" * 500, "somebody's"])
def test_nothing_else_is_closed(student, host, handle):
    this, somebody = browser_of(student), browser_of(host)
    wanted = handle_of(somebody) if handle == "somebody's" else handle

    response = close(this, wanted)

    assert response["Location"] == "/inicio/perfil"
    assert session_of(somebody) != {}
    assert session_of(this) != {}


def test_all_others_are_closed_and_this_one_stays(student, host):
    this, phone, desk, somebody = (browser_of(one) for one in (student, student, student, host))

    response = this.post("/inicio/perfil/cerrar-otras")

    assert response["Location"] == "/inicio/perfil"
    assert session_of(phone) == session_of(desk) == {}
    assert session_of(this) != {}
    assert session_of(somebody) != {}


@pytest.mark.parametrize("path", ["/inicio/perfil/cerrar-sesion", "/inicio/perfil/cerrar-otras"])
def test_closing_is_never_a_link_and_never_a_strangers(student, client, path):
    assert browser_of(student).get(path).status_code == 405
    assert client.post(path)["Location"].startswith("/inicio?next=")
    assert Session.objects.filter(user=student).count() == 1
