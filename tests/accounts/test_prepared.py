"""accounts/sessions/prepared.py does what querysets and models do, on either engine."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, Max, OuterRef
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from accounts.models import Session, User, UserStatus
from accounts.sessions.prepared import USES_BEFORE_KEPT, Prepared, insert, update
from bookings.models import Role, UserActivity
from tests.factories import UserFactory, VirtualClassFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 8, 10, 0, 123456, tzinfo=UTC)

by_id = Prepared(
    lambda person, now: User.objects.annotate(
        is_here=Exists(Session.objects.filter(user=OuterRef("pk"), expire_date__gt=now))
    ).filter(pk=person, status=UserStatus.ACTIVE),
    person=uuid.UUID,
    now=datetime,
)
session_by_key = Prepared(
    lambda key: Session.objects.select_related("user").filter(session_key=key), key=str
)


def columns(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def keep_session(user, key="k" * 32):
    return Session.objects.create(
        session_key=key, user=user, session_data="x", expire_date=timezone.now() + timedelta(days=1)
    )


def test_find_reads_what_a_queryset_reads():
    user = UserFactory(provider_refresh_token="secret", provider_token_saved_at=NOW, is_staff=True)
    keep_session(user)

    found = by_id.find(person=user.pk, now=timezone.now())

    assert columns(found) == columns(User.objects.get())
    assert (found, found.is_here, found._state.adding) == (user, True, False)


def test_find_takes_new_values_each_time(student, host):
    keep_session(student)

    found = [by_id.find(person=one.pk, now=timezone.now()) for one in (student, host, student)]

    assert [(one, one.is_here) for one in found] == [
        (student, True),
        (host, False),
        (student, True),
    ]


def test_find_gives_none_without_a_row(student):
    UserFactory(status=UserStatus.SUSPENDED)

    assert by_id.find(person=uuid.uuid4(), now=NOW) is None
    assert by_id.find(person=User.objects.get(status="suspended").pk, now=NOW) is None


def test_find_brings_the_related_row_or_none_at_all(student, django_assert_num_queries):
    keep_session(student, "a" * 32)
    keep_session(None, "b" * 32)

    with django_assert_num_queries(2):
        theirs, nobodys = (session_by_key.find(key=letter * 32) for letter in "ab")
        assert (theirs.user, nobodys.user) == (student, None)

    assert columns(theirs.user) == columns(User.objects.get())


def test_insert_stores_what_create_stores(student):
    made = User(email="made@example.com", name="Dora", provider_refresh_token="secret")

    insert([made])

    stored = User.objects.get(email="made@example.com")
    assert columns(stored) == columns(made)
    assert not made._state.adding


def test_insert_leaves_out_what_is_there_when_told_to(student):
    people = [User(email=student.email), User(email="new@example.com")]

    insert(people, ignore_conflicts=True)

    assert User.objects.count() == 2


def test_insert_that_fails_spoils_the_transaction_as_create_does(student):
    with transaction.atomic():
        with pytest.raises(IntegrityError):
            insert([User(email=student.email)])
        assert connection.needs_rollback
        connection.set_rollback(True)


def test_update_stores_these_fields_of_this_row_only(student, host, time_machine):
    time_machine.move_to(NOW, tick=False)
    student.location, student.phone = "Salta", "not stored"

    update(student, "location", "updated_at")

    student.refresh_from_db()
    host.refresh_from_db()
    assert (student.location, student.phone, student.updated_at) == ("Salta", "", NOW)
    assert host.location == ""


def test_find_gives_tuples_of_what_is_counted(student):
    counted = Prepared(
        lambda person: (
            Session.objects.filter(user=person)
            .values_list("user")
            .annotate(count=Count("pk"), last=Max("expire_date"))
        ),
        person=uuid.UUID,
    )
    assert counted.find(person=student.pk) is None
    keep_session(student, "a" * 32)
    last = keep_session(student, "b" * 32)

    assert counted.find(person=student.pk) == (student.pk, 2, last.expire_date)


def test_insert_learns_the_key_that_the_database_draws(student):
    virtual_class = VirtualClassFactory()
    part = UserActivity(user=student, virtual_class=virtual_class, rol=Role.PARTICIPANT)

    insert([part])

    assert UserActivity.objects.get() == part
    assert columns(UserActivity.objects.get()) == columns(part)


def test_update_takes_the_lazy_person_of_a_request(student):
    person = SimpleLazyObject(lambda: student)
    person.location = "Salta"

    update(person, "location")

    assert User.objects.get().location == "Salta"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no texts.")
def test_postgresql_reads_a_text_once(student):
    keep_session(student, "a" * 32)

    for _ in range(USES_BEFORE_KEPT + 2):
        assert session_by_key.find(key="a" * 32).user == student

    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        assert [text for [text] in cursor.fetchall() if "accounts_session" in text]
    assert User.objects.get(name=student.name) == student  # querysets go on as Django has them


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no texts.")
@pytest.mark.django_db(transaction=True)
def test_statement_outlives_a_column_that_becomes_longer():
    keep_session(UserFactory(), "a" * 32)
    for _ in range(USES_BEFORE_KEPT + 2):
        session_by_key.find(key="a" * 32)
    length = Session._meta.get_field("user_agent").max_length

    try:
        lengthen_user_agent(length + 1)
        assert session_by_key.find(key="a" * 32).session_key == "a" * 32
    finally:
        lengthen_user_agent(length)


def lengthen_user_agent(length):
    """Do it from elsewhere, as a migration does: the driver forgets what it sees altered itself."""
    elsewhere = connection.copy()
    with elsewhere.cursor() as cursor:
        cursor.execute(f"ALTER TABLE accounts_session ALTER user_agent TYPE varchar({length})")
    elsewhere.close()
