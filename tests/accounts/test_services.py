"""People: the encrypted column, and writes about them, called directly."""

import pytest
from django.core.exceptions import FieldError
from django.db import IntegrityError, connection, transaction

from accounts.models import Session, User
from accounts.selectors import find_calendar_owner
from accounts.services import (
    admit_administrator,
    mark_grant_revoked,
    reactivate,
    remember_refresh_token,
    save_profile,
    suspend,
)
from tests.environment import TEACHER_EMAIL
from tests.factories import UserFactory

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


@pytest.mark.parametrize("lookup", ["contains", "startswith", "gt", "in"])
def test_encrypted_text_cannot_be_searched(lookup):
    with pytest.raises(FieldError):
        User.objects.filter(**{f"provider_refresh_token__{lookup}": "x"}).exists()


def test_save_profile_writes_the_four_settings_only(student, django_assert_num_queries):
    User.objects.update(total_classes=7)

    with django_assert_num_queries(1):
        save_profile(user=student, location="Salta", level="basico", phone="1", newsletter="si")

    student.refresh_from_db()
    assert (student.location, student.level, student.phone, student.newsletter) == (
        "Salta",
        "basico",
        "1",
        "si",
    )
    assert student.total_classes == 7


def test_suspend_and_reactivate_leave_other_people_alone(sign_in, student, host):
    sign_in(student)
    sign_in(host)

    suspend(user=student)
    reactivate(user=student)

    assert list(User.objects.values_list("status", flat=True)) == ["active", "active"]
    assert Session.objects.get().user == host


def test_admit_administrator_binds_the_first_subject(student):
    first = admit_administrator(user=student, subject="one")
    again = admit_administrator(user=student, subject="one")
    other = admit_administrator(user=student, subject="two")

    student.refresh_from_db()
    assert (first, again, other) == (True, True, False)
    assert (student.provider_subject, student.is_superuser) == ("one", True)


def test_admit_administrator_dismisses_the_earlier_one(teacher, student, host, stranger):
    User.objects.filter(pk=host.pk).update(is_staff=True)

    admit_administrator(user=student, subject="one")

    panel = User.objects.filter(is_staff=True).values_list("email", "is_superuser")
    assert set(panel) == {(student.email, True), (host.email, False)}


def test_false_administrator_dismisses_nobody(teacher, student):
    User.objects.filter(pk=student.pk).update(provider_subject="one")

    admit_administrator(user=student, subject="two")

    assert User.objects.get(is_superuser=True) == teacher


def test_mark_grant_revoked_notes_it_once(student):
    remember_refresh_token(user=student, refresh_token="token")

    first, second = mark_grant_revoked(user=student), mark_grant_revoked(user=student)

    student.refresh_from_db()
    assert (first, second) == (True, False)
    assert student.provider_token_revoked_at is not None
    assert student.provider_refresh_token == "token"


def test_mark_grant_revoked_spares_a_newer_grant(student):
    remember_refresh_token(user=student, refresh_token="old")
    seen_by_a_worker = User.objects.get(pk=student.pk)
    remember_refresh_token(user=student, refresh_token="new")

    noted = mark_grant_revoked(user=seen_by_a_worker)

    student.refresh_from_db()
    assert noted is False
    assert student.provider_token_revoked_at is None


@pytest.mark.parametrize("token", ["", "token"])
def test_there_may_be_no_calendar_owner(settings, token):
    UserFactory(email=TEACHER_EMAIL, provider_refresh_token=token)
    settings.ADMIN_EMAIL = "" if token else TEACHER_EMAIL

    assert find_calendar_owner() is None


@pytest.mark.parametrize(
    "changes",
    [
        {"email": "bruno@example.com"},
        {"email": "Upper@example.com"},
        {"level": "experto"},
        {"newsletter": "xx"},
        {"status": "gone"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_database_refuses_what_must_not_be(student, changes):
    fields = {"email": "other@example.com", **changes}

    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.bulk_create([User(**fields)])
