"""``/api/user-data``: every status and the exact bodies."""

import json
from datetime import UTC, datetime

import pytest
from django.test import Client

from accounts.models import User
from tests.api.database_faults import failing

pytestmark = pytest.mark.django_db

PATH = "/api/user-data"
SETTINGS = {
    "location": "Rosario",
    "level": "intermedio",
    "phone": "+54 341 555-0000",
    "newsletter": "si",
}
NOW = datetime(2026, 11, 20, 8, 10, tzinfo=UTC)


def post(client: Client, body, **options):
    """Send a body as JSON; bytes and text go as they are."""
    data = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(PATH, data, content_type="application/json", **options)


def stored(user: User) -> dict[str, str]:
    """Give the four settings as the database holds them."""
    return User.objects.values(*SETTINGS).get(pk=user.pk)


def assert_refused(response, status: int, user: User) -> None:
    """Check the status and the error's shape, and that nothing was written."""
    assert response.status_code == status
    assert list(response.json()) == ["error"]
    assert isinstance(response.json()["error"], str)
    assert stored(user) == {"location": "", "level": "", "phone": "", "newsletter": "no"}


def test_get_returns_the_four_settings(sign_in, student):
    User.objects.update(**SETTINGS)

    response = sign_in(student).get(PATH)

    assert (response.status_code, response.json()) == (200, SETTINGS)


def test_get_of_a_new_person_shows_what_is_unset(sign_in, student):
    response = sign_in(student).get(PATH)

    assert response.json() == {"location": "", "level": "", "phone": "", "newsletter": "no"}


def test_post_stores_the_settings_and_returns_the_person(sign_in, student, time_machine):
    time_machine.move_to(NOW, tick=False)
    client = sign_in(student)
    User.objects.update(total_classes=3, created_at=NOW)

    response = post(client, SETTINGS)

    assert response.status_code == 200
    assert response.json() == {
        "message": "Recibimos tus datos.",
        "user": {
            "id": str(student.pk),
            "email": "bruno@example.com",
            "name": "Bruno Student",
            **SETTINGS,
            "totalClasses": 3,
            "status": "active",
            "createdAt": "2026-11-20T05:10:00-03:00",
            "updatedAt": "2026-11-20T05:10:00-03:00",
        },
    }
    assert stored(student) == SETTINGS


@pytest.mark.parametrize("level", ["inicial", "basico", "intermedio", "avanzado"])
@pytest.mark.parametrize("newsletter", ["si", "no"])
def test_post_takes_every_documented_value(sign_in, student, level, newsletter):
    response = post(sign_in(student), {**SETTINGS, "level": level, "newsletter": newsletter})

    assert response.status_code == 200
    assert (response.json()["user"]["level"], response.json()["user"]["newsletter"]) == (
        level,
        newsletter,
    )


def test_post_takes_text_as_it_is(sign_in, student):
    text = {"location": "Ñuñoa 東京 👩🏽‍🏫 <b>", "phone": "<img src=x onerror=y>"}

    response = post(sign_in(student), {**SETTINGS, **text})

    assert response.json()["user"]["location"] == text["location"]
    assert stored(student) == {**SETTINGS, **text}


@pytest.mark.parametrize("method", ["get", "post"])
def test_stranger_is_refused(client, method):
    response = getattr(client, method)(PATH)

    assert response.status_code == 401
    assert list(response.json()) == ["error"]
    assert response["WWW-Authenticate"] == "Session"


def test_nobody_writes_what_is_not_a_setting(sign_in, student):
    before = User.objects.values().get()
    forbidden = {
        "id": "1",
        "email": "evil@example.com",
        "name": "Evil",
        "status": "suspended",
        "totalClasses": 99,
        "is_staff": True,
        "is_superuser": True,
        "providerRefreshToken": "x",
        "password": "x",
        "createdAt": "2000-01-01T00:00:00Z",
        "unknown": 1,
    }

    response = post(sign_in(student), {**SETTINGS, **forbidden})

    after = User.objects.values().get()
    changed = {name for name in after if after[name] != before[name]}
    assert response.status_code == 200
    assert changed <= {*SETTINGS, "updated_at", "last_login"}


def test_answer_holds_no_grant_and_no_privilege(sign_in, teacher):
    response = post(sign_in(teacher), SETTINGS)

    assert response.json()["user"].keys() == {
        "id",
        "email",
        "name",
        "location",
        "level",
        "phone",
        "newsletter",
        "totalClasses",
        "status",
        "createdAt",
        "updatedAt",
    }
    assert teacher.provider_refresh_token not in response.content.decode()


def test_only_the_session_says_whose_data_it_is(sign_in, student, host):
    client = sign_in(student)

    client.post(
        f"{PATH}?userId={host.pk}",
        json.dumps({**SETTINGS, "userId": str(host.pk)}),
        content_type="application/json",
        headers={"x-user-id": str(host.pk)},
    )

    assert stored(student) == SETTINGS
    assert stored(host)["location"] == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("level", value) for value in ("experto", "INICIAL", 1, None, ["inicial"], "\ud800")),
        *(("newsletter", value) for value in (True, "SI", "", None)),
        *(("phone", value) for value in (5550000, None, "1" * 31, "1\n2")),
        *(("location", value) for value in ("x" * 256, 5, None, "a\tb")),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_wrong_value_is_refused(sign_in, student, name, value):
    response = post(sign_in(student), {**SETTINGS, name: value})

    assert_refused(response, 400, student)
    assert response.json()["error"].startswith(f"{name}: ")


def test_null_is_refused_in_spanish(sign_in, student):
    response = post(sign_in(student), "null")

    assert_refused(response, 400, student)
    assert response.json() == {"error": "Este campo no puede ser nulo."}


@pytest.mark.parametrize("name", SETTINGS)
def test_missing_setting_is_refused(sign_in, student, name):
    response = post(sign_in(student), {key: SETTINGS[key] for key in SETTINGS if key != name})

    assert_refused(response, 400, student)


@pytest.mark.parametrize("method", ["get", "post"])
def test_failing_database_is_a_documented_500(sign_in, student, method):
    client = sign_in(student)

    with failing('SELECT "accounts_session"'):
        response = getattr(client, method)(PATH)

    assert response.status_code == 500
    assert response.json() == {"error": "No pudimos procesar tus datos."}
