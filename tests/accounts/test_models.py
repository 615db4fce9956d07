"""People, and the encrypted column."""

import pytest
from cryptography.fernet import Fernet, InvalidToken
from django.core.exceptions import FieldError
from django.db import connection

from accounts.models import User
from accounts.services import remember_refresh_token

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "shown", "first"),
    [("Ana López", "Ana López", "Ana"), ("", "ana@example.com", "ana"), ("  ", "  ", "ana")],
)
def test_person_is_called_by_name_or_address(name, shown, first):
    user = User(email="ana@example.com", name=name)

    assert (str(user), user.first_name) == (shown, first)


def column() -> str:
    """Read the token's column as the database holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT provider_refresh_token FROM accounts_user")
        return cursor.fetchone()[0]


def test_token_is_stored_encrypted_and_read_back(student):
    remember_refresh_token(user=student, refresh_token="1//secret ñ")

    assert "secret" not in column()
    assert User.objects.get().provider_refresh_token == "1//secret ñ"


def test_empty_token_stays_empty(student):
    assert column() == ""
    assert list(User.objects.filter(provider_refresh_token="")) == [student]


def test_rotated_key_still_reads_and_a_lost_one_raises(student, settings):
    remember_refresh_token(user=student, refresh_token="secret")

    settings.FIELD_KEYS = [Fernet.generate_key().decode(), *settings.FIELD_KEYS]
    rotated = User.objects.get().provider_refresh_token
    settings.FIELD_KEYS = settings.FIELD_KEYS[:1]

    assert rotated == "secret"
    with pytest.raises(InvalidToken):
        User.objects.get()


@pytest.mark.parametrize("lookup", ["contains", "startswith", "gt", "in"])
def test_encrypted_text_cannot_be_searched(lookup):
    with pytest.raises(FieldError):
        User.objects.filter(**{f"provider_refresh_token__{lookup}": "x"}).exists()
