"""Several accounts press «Es mía» at once: the first one gets the class, the others nothing."""

import threading
from contextlib import contextmanager
from functools import partial

import pytest
from django.db import connection

from accounts.models import User
from bookings.domain.exceptions import BookingError
from bookings.domain.people import claiming
from bookings.domain.people.claiming import (
    LinkUselessError,
    claim_by_address,
    claim_class,
    confirm_claim,
)
from bookings.domain.sales.her_bookings import book_for
from bookings.models import ClassEvent, ClassLog, ClassType, VirtualClass
from bookings.models.sales.class_link import make_link
from tests.concurrency.racing import SHORT_PATIENCE, Gate, race
from tests.factories import UserFactory, VirtualClassFactory
from tests.sales.open_classes import in_days
from tests.sales.written_down import ADDRESS, PRICE, write_lucia

pytestmark = pytest.mark.concurrency


def race_for_the_classes(racers, count):
    """Let them all claim, by turns one of her classes."""
    lucia = write_lucia()
    links = [make_link(VirtualClassFactory(booked_by=lucia)) for _ in range(count)]
    wanted = [links[number % count] for number in range(len(racers))]
    done = race(
        *(
            partial(claim_class, user=one, token=link.token)
            for one, link in zip(racers, wanted, strict=True)
        )
    )
    return wanted, done


def check_that_one_won(racers, wanted, done):
    """Each class is its winner's, and every other racer was refused."""
    for racer, link, outcome in zip(racers, wanted, done, strict=True):
        winner = VirtualClass.objects.get(pk=link.pk).booked_by
        expected = VirtualClass if racer == winner else LinkUselessError
        assert isinstance(outcome, expected), (racer, outcome)
        claims = ClassLog.objects.filter(virtual_class=link.pk, event=ClassEvent.CLAIMED)
        assert [line.actor for line in claims] == [winner]
        assert winner in racers


def claim_together(monkeypatch):
    """Let two accounts claim; each waits for the other between its check and its writes."""
    gate, count = Gate(2, SHORT_PATIENCE), claiming.add_to_total_classes

    def wait(*arguments):
        gate.wait()
        count(*arguments)

    monkeypatch.setattr(claiming, "add_to_total_classes", wait)
    racers = UserFactory.create_batch(2)
    check_that_one_won(racers, *race_for_the_classes(racers, 1))


def test_one_of_two_wins_between_check_and_write(db, monkeypatch):
    claim_together(monkeypatch)


def test_a_claim_needs_its_lock(db, monkeypatch, without_locks):
    without_locks()

    with pytest.raises(AssertionError):
        claim_together(monkeypatch)


def test_only_one_account_is_the_same_person(teacher):
    first, second = UserFactory.create_batch(2)
    lucia = write_lucia()
    links = [make_link(VirtualClassFactory(booked_by=lucia)) for _ in range(3)]
    for one, link in zip((first, second), links, strict=False):
        claim_class(user=one, token=link.token)

    done = race(
        *(
            partial(confirm_claim, class_id=link.pk, by=teacher, fresh_sign_in=True)
            for link in links[:2]
        ),
        partial(claim_class, user=UserFactory(), token=links[2].token),
    )

    assert sum(isinstance(one, User) for one in done) == 1, done
    assert not [one for one in done if not isinstance(one, User | VirtualClass | BookingError)]
    assert not User.objects.filter(pk=lucia.pk).exists()


# What is locked, and how long a racer waits for the other.
PERSON, PAYMENT, PATIENCE = '"accounts_user"', '"bookings_payment"', 2


@contextmanager
def watching(table, *, first=(), then=()):
    """Act before and after each lock of a row."""

    def watch(execute, sql, *rest):
        is_lock = " FOR " in sql and f"FROM {table}" in sql
        for act in first if is_lock else ():
            act()
        result = execute(sql, *rest)
        for act in then if is_lock else ():
            act()
        return result

    with connection.execute_wrapper(watch):
        yield


def book_trial(person, trial, teacher):
    return book_for(
        student=person,
        start=in_days(10),
        minutes=30,
        class_type=ClassType.INDIVIDUAL,
        students=1,
        price=PRICE,
        is_paid=False,
        by=teacher,
        offer=trial,
    )


@pytest.mark.skipif("connection.vendor != 'postgresql'")
def test_a_booking_beside_a_claim_does_not_wait_for_it_in_a_circle(mercadopago, trial, teacher):
    """The booking locks payment, then person. The claim has found no payment, and locks the person
    before the booking does.
    """
    lucia, racer = write_lucia(email=ADDRESS), UserFactory(email=ADDRESS)
    looked, booked, locked = threading.Event(), threading.Event(), threading.Event()

    def claim():
        turn = [looked.set, partial(booked.wait, PATIENCE)]
        with watching(PERSON, first=turn, then=[locked.set]):
            return claim_by_address(user=racer, person_id=lucia.pk)

    def book():
        looked.wait(PATIENCE)
        turn = [partial(locked.wait, PATIENCE)]
        with watching(PAYMENT, then=[booked.set]), watching(PERSON, first=turn):
            return book_trial(lucia, trial, teacher)

    done = race(claim, book)

    assert not [one for one in done if isinstance(one, Exception)], done
    assert VirtualClass.objects.get().booked_by == racer
