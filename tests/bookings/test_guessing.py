"""Ten thousand wrong codes: few of them are looked at, and nothing tells which are right."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import connections

from bookings.domain.exceptions import ClassNotFoundError, TooManyAttemptsError
from bookings.domain.places import joining
from bookings.domain.places.joining import generate_access_code, join_class
from bookings.models import ClassStatus, Notice, NoticeKind, VirtualClass
from tests.factories import UserFactory, VirtualClassFactory
from tests.statements import statements

NOW = datetime(2026, 11, 20, 8, 10, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
CODE = "ABCD2345"
ALARM = NoticeKind.GUESSING


@pytest.fixture
def one_moment(time_machine):
    """Let everything happen in one window of every limit."""
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def scheduled(host, one_moment):
    return VirtualClassFactory(
        booked_by=host, scheduled=True, access_code=CODE, max_participants=90
    )


def attempt(user, code, address=""):
    """Try a code; say what came of it."""
    try:
        join_class(user=user, access_code=code, address=address)
    except TooManyAttemptsError:
        return "refused"
    except ClassNotFoundError:
        return "wrong"
    return "joined"


def wrong_codes(count):
    return (generate_access_code() for _ in range(count))


def test_a_thousand_from_one_account_and_many_addresses(scheduled, student):
    with statements() as asked:
        outcomes = [
            attempt(student, code, f"10.{number % 250}.{number // 250}.1")
            for number, code in enumerate(wrong_codes(1_000))
        ]

    looks = [sql for sql in asked if "access_code" in sql and "FROM" in sql]
    assert (outcomes.count("wrong"), outcomes.count("refused")) == (20, 980)
    assert len(looks) == 20
    assert attempt(student, CODE) == "refused"


def test_a_fresh_account_has_one_try_at_an_address_that_was_wrong_too_often(scheduled):
    people = UserFactory.create_batch(3)
    for number, code in enumerate(wrong_codes(60)):
        attempt(people[number % 3], code, "10.0.0.1")

    fresh = UserFactory()
    outcomes = [attempt(fresh, code, "10.0.0.1") for code in wrong_codes(5)]

    assert outcomes == ["wrong", *["refused"] * 4]
    assert attempt(fresh, CODE, "10.0.0.1") == "refused"


@pytest.mark.concurrency
def test_sent_all_at_once_no_more_are_looked_at(
    transactional_db, host, student, settings, monkeypatch, one_moment
):
    VirtualClassFactory(booked_by=host, scheduled=True, access_code=CODE)
    settings.MAX_WRONG_CODES = 3
    looks, look = [], joining.lock_class

    def look_slowly(code):
        looks.append(code)
        time.sleep(0.05)
        return look(code)

    monkeypatch.setattr(joining, "lock_class", look_slowly)

    def one(code):
        try:
            return attempt(student, code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(one, wrong_codes(24)))

    assert outcomes.count("wrong") == len(looks) == 3


def test_teacher_is_told_once_a_wave(scheduled, student, stranger, teacher, time_machine):
    for person in (student, stranger):
        for code in wrong_codes(50):
            attempt(person, code)
    assert Notice.objects.filter(kind=ALARM, user=teacher).count() == 1

    time_machine.move_to(NOW.replace(day=21), tick=False)
    for code in wrong_codes(50):
        attempt(student, code)

    assert Notice.objects.filter(kind=ALARM, user=teacher).count() == 2


def test_log_names_no_code_and_no_person(scheduled, student, teacher, caplog):
    codes = list(wrong_codes(30))
    for code in codes:
        attempt(student, code, "10.9.8.7")

    assert "wrong access code" in caplog.text
    private = [*codes, student.email, str(student.pk), "10.9.8.7"]
    assert [text for text in private if text in caplog.text] == []


# --- What an answer tells -------------------------------------------------------------------------

CLOSED = "CLSD2345"


@pytest.fixture
def closed(host, scheduled):
    """A code that was good until its class was cancelled."""
    virtual_class = VirtualClassFactory(booked_by=host, scheduled=True, access_code=CLOSED)
    VirtualClass.objects.filter(pk=virtual_class.pk).update(status=ClassStatus.CANCELLED)


def post(client, code):
    return client.post("/api/access-code", data=f'"{code}"', content_type="application/json")


def test_wrong_and_closed_codes_are_answered_alike(closed, student, sign_in):
    client = sign_in(student)

    wrong, gone = post(client, "WRNG2345"), post(client, CLOSED)

    assert wrong.status_code == gone.status_code == 404
    assert wrong.content == gone.content
    assert wrong.headers.pop("X-Request-ID") != gone.headers.pop("X-Request-ID")
    assert dict(wrong.headers) == dict(gone.headers)


def test_refusal_is_the_same_for_right_wrong_and_closed_codes(closed, student, sign_in):
    client = sign_in(student)
    for code in wrong_codes(20):
        post(client, code)

    answers = [post(client, code) for code in (CODE, "WRNG2345", CLOSED)]

    assert {answer.status_code for answer in answers} == {429}
    assert len({answer.content for answer in answers}) == 1
    # Eight in the morning and ten minutes: the window has just begun.
    assert {answer["Retry-After"] for answer in answers} == {"600"}


def test_wrong_and_closed_codes_take_the_same_time(closed, student, settings):
    """Their fastest tries are compared: a busy machine makes others slower, never one faster."""
    settings.MAX_WRONG_CODES = 10_000
    taken = {"WRNG2345": [], CLOSED: []}

    for _ in range(100):
        for code, times in taken.items():
            before = time.perf_counter()
            attempt(student, code)
            times.append(time.perf_counter() - before)

    wrong, gone = (min(times) for times in taken.values())
    assert 0.8 < wrong / gone < 1.25
