"""Changing keys: nothing stored is lost, and nobody is signed out."""

from datetime import UTC, datetime, timedelta

import jwt
import pytest
from cryptography.fernet import Fernet, MultiFernet
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from accounts.models import User
from accounts.services import remember_refresh_token
from tests.accounts.flows import session_of

pytestmark = pytest.mark.django_db

OLD, NEW, FOREIGN = (Fernet.generate_key().decode() for _ in range(3))
GRANT = "1//a-refresh-token"
NOW = datetime(2026, 11, 20, 8, 10, tzinfo=UTC)


@pytest.fixture
def granting(student, settings):
    """Somebody whose grant was stored under the old key."""
    settings.FIELD_KEYS = [OLD]
    remember_refresh_token(user=student, refresh_token=GRANT)
    return student


def stored():
    """Give what really stands in the database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT provider_refresh_token FROM accounts_user WHERE provider_refresh_token <> ''"
        )
        return [row[0] for row in cursor.fetchall()]


def rotate(capsys):
    call_command("rotate_keys")
    return capsys.readouterr().out


# --- FIELD_KEYS -----------------------------------------------------------------------------------


def test_values_move_under_the_first_key_and_the_old_one_may_go(granting, settings, capsys):
    settings.FIELD_KEYS = [NEW, OLD]

    said = rotate(capsys)

    settings.FIELD_KEYS = [NEW]
    assert said == "Re-encrypted: 1. Under the first key already: 0.\n"
    assert User.objects.get(pk=granting.pk).provider_refresh_token == GRANT


def test_newer_value_is_not_written_over(granting, settings, monkeypatch, capsys):
    settings.FIELD_KEYS = [NEW, OLD]
    rotate_token = MultiFernet.rotate

    def rotate_while_the_teacher_signs_in(cipher, token):
        remember_refresh_token(user=granting, refresh_token="a-newer-one")
        return rotate_token(cipher, token)

    monkeypatch.setattr(MultiFernet, "rotate", rotate_while_the_teacher_signs_in)

    with pytest.raises(CommandError, match="Run it again"):
        rotate(capsys)

    capsys.readouterr()
    assert User.objects.get(pk=granting.pk).provider_refresh_token == "a-newer-one"
    assert rotate(capsys) == "Re-encrypted: 0. Under the first key already: 1.\n"


def test_value_of_an_unknown_key_is_kept_and_told(granting, settings, capsys):
    before = stored()
    settings.FIELD_KEYS = [NEW, FOREIGN]

    with pytest.raises(CommandError, match="1 cannot be read") as caught:
        call_command("rotate_keys")

    said = capsys.readouterr().out + str(caught.value)
    assert stored() == before
    assert not [secret for secret in (GRANT, OLD, NEW, FOREIGN, *before) if secret in said]


# --- SECRET_KEY -----------------------------------------------------------------------------------


@pytest.fixture
def change_secret_key(settings):
    """Put a new key in the place of the present one, which stays as a fallback."""

    def change():
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "another-key-" + "1" * 40

    return change


def test_nobody_is_signed_out_and_the_old_key_may_go(
    student, sign_in, settings, time_machine, change_secret_key
):
    time_machine.move_to(NOW, tick=False)
    client = sign_in(student)
    before = client.cookies["session"].value

    change_secret_key()
    assert session_of(client)["user"]["email"] == student.email
    assert client.cookies["session"].value == before
    time_machine.move_to(NOW + timedelta(hours=13), tick=False)
    session_of(client)

    settings.SECRET_KEY_FALLBACKS = []
    renewed = client.cookies["session"].value
    assert session_of(client)["user"]["email"] == student.email
    ids = [jwt.decode(one, options={"verify_signature": False})["sid"] for one in (before, renewed)]
    assert ids[0] == ids[1]
    assert before != renewed


def test_form_that_was_open_meanwhile_still_counts(student, settings, change_secret_key):
    client = Client(enforce_csrf_checks=True)
    client.force_login(student)
    page = client.get("/inicio/perfil").content.decode()
    token = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    form = {"name": "Bruno", "level": "basico", "newsletter": "no", "location": "Rosario"}

    change_secret_key()
    client.post("/inicio/perfil", {**form, "csrfmiddlewaretoken": token})

    student.refresh_from_db()
    assert student.location == "Rosario"
    assert "Guardamos tus datos." in client.get("/inicio/perfil").content.decode()
