"""Freed places, people in line and people with the code, all at once.

Each promise has a control: the same race with its protection taken off, which must break it.
"""

import itertools
import threading
import time
from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from bookings.domain.classes.cancelling import leave_class
from bookings.domain.classes.changing import change_capacity
from bookings.domain.exceptions import BookingError
from bookings.domain.places import joining, participants
from bookings.domain.places.joining import join_class
from bookings.domain.places.participants import pass_on_offers
from bookings.domain.places.waiting_list import claim_place
from bookings.models import ClassLog, UserActivity, VirtualClass, WaitingListEntry
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.factories import UserFactory, VirtualClassFactory

CODE = "ABCD2345"
LINE, PLACES, CLAIMERS, JOINERS = 6, 3, 2, 3
RACE_SECONDS = 30

pytestmark = pytest.mark.concurrency


@pytest.fixture
def virtual_class(host):
    """A full group of one, in two days: the host."""
    return VirtualClassFactory(
        scheduled=True,
        booked_by=host,
        access_code=CODE,
        max_participants=1,
        start_time=timezone.now() + timedelta(days=2),
    )


def get_into_line(virtual_class, count):
    """Put people into line, one after the other."""
    now = timezone.now()
    return [
        WaitingListEntry.objects.create(
            virtual_class=virtual_class,
            user=UserFactory(),
            created_at=now + timedelta(milliseconds=number),
        )
        for number in range(count)
    ]


def free_place(virtual_class, count=1):
    """Let places become free; one is offered."""
    capacity = VirtualClass.objects.get(pk=virtual_class.pk).max_participants
    change_capacity(class_id=virtual_class.pk, capacity=capacity + count)


def is_consistent():
    virtual_class = VirtualClass.objects.get()
    people = [str(pk) for pk in UserActivity.objects.values_list("user_id", flat=True)]
    return (
        len(set(people)) == len(people) == virtual_class.current_participants
        and sorted(virtual_class.participants_ids) == sorted(people)
        and len(people) <= virtual_class.max_participants
    )


# --- Six in line, six with the code, three places -------------------------------------------------


def raise_the_capacity(virtual_class):
    """Return a way to free each place: the teacher makes room."""
    return [partial(free_place, virtual_class)] * PLACES


def let_guests_leave(virtual_class):
    """Return a way to free each place: a guest leaves."""
    guests = UserFactory.create_batch(PLACES)
    VirtualClass.objects.update(max_participants=1 + PLACES)
    for guest in guests:
        join_class(user=guest, access_code=CODE)
    return [partial(leave_class, class_id=virtual_class.pk, user=guest) for guest in guests]


def race_for_freed_places(virtual_class, ways=raise_the_capacity):
    """Free the places, each once the last is taken, while everybody wants them.

    Gives the entries in their order and what every attempt to claim or join came to.
    """
    frees = ways(virtual_class)
    entries = get_into_line(virtual_class, LINE)
    strangers = UserFactory.create_batch(LINE)
    is_over, outcomes = threading.Event(), Counter()
    deadline = time.monotonic() + RACE_SECONDS

    def attempt(kind, act):
        try:
            act()
        except BookingError as refusal:
            outcomes[kind, type(refusal).__name__] += 1
        else:
            outcomes[kind, "in"] += 1

    def free_one_after_the_other():
        try:
            for free in frees:
                free()
                while not VirtualClass.objects.get().is_full and time.monotonic() < deadline:
                    time.sleep(0.01)
        finally:
            is_over.set()

    def claim_what_is_offered():
        while not is_over.is_set():
            for entry in WaitingListEntry.objects.filter(state="offered").select_related("user"):
                attempt("claim", partial(claim_place, user=entry.user, entry_id=entry.pk))
            time.sleep(0.01)

    def join_by_code(people):
        for person in itertools.cycle(people):
            attempt("join", partial(join_class, user=person, access_code=CODE))
            # SQLite's writers do not stand in line: without a breath some of them starve.
            time.sleep(0.01)
            if is_over.is_set():
                return

    results = race(
        free_one_after_the_other,
        *[claim_what_is_offered] * CLAIMERS,
        *[partial(join_by_code, strangers[number::JOINERS]) for number in range(JOINERS)],
    )
    assert not [result for result in results if isinstance(result, Exception)]
    return entries, outcomes


@pytest.mark.parametrize("ways", [raise_the_capacity, let_guests_leave])
def test_each_freed_place_goes_to_the_first_in_line(virtual_class, ways):
    entries, outcomes = race_for_freed_places(virtual_class, ways)

    served = UserActivity.objects.exclude(rol="anfitrion").order_by("created_at")
    assert [part.user_id for part in served] == [entry.user_id for entry in entries[:PLACES]]
    assert (outcomes["claim", "in"], outcomes["join", "in"]) == (PLACES, 0)
    assert WaitingListEntry.objects.filter(state="claimed").count() == PLACES
    assert is_consistent()


def test_the_line_comes_first_only_while_its_place_is_kept(virtual_class, monkeypatch):
    monkeypatch.setattr(joining, "is_kept_for_another", lambda *args: False)

    _, outcomes = race_for_freed_places(virtual_class)

    assert outcomes["join", "in"] > 0
    assert is_consistent()  # the lock and the constraint still stand


# --- One offer at a time --------------------------------------------------------------------------


def offer_together(virtual_class, monkeypatch, caplog, patience):
    """Have two workers find a place without an offer before either offers it; tell whether one did.

    The other finds it offered, and neither fails.
    """
    get_into_line(virtual_class, 5)
    VirtualClass.objects.update(max_participants=4)
    gate, count = Gate(2, patience), participants.count_held_places

    def count_and_wait(*args):
        held = count(*args)
        gate.wait()
        return held

    monkeypatch.setattr(participants, "count_held_places", count_and_wait)
    counts = race(pass_on_offers, pass_on_offers)
    made = ClassLog.objects.filter(event="offered").count()
    return (sum(counts), made, "not looked after yet" in caplog.text) == (1, 1, False)


def test_two_workers_make_one_offer(virtual_class, monkeypatch, caplog):
    assert offer_together(virtual_class, monkeypatch, caplog, SHORT_PATIENCE)


def test_one_offer_needs_the_lock(virtual_class, monkeypatch, caplog, without_locks):
    without_locks()

    assert not offer_together(virtual_class, monkeypatch, caplog, LONG_PATIENCE)


# --- The last instant of an offer -----------------------------------------------------------------


def test_an_offer_is_claimed_or_passed_on_and_never_both(virtual_class):
    first, second = get_into_line(virtual_class, 2)
    free_place(virtual_class)
    for _ in range(8):
        over = timezone.now() + timedelta(milliseconds=15)
        WaitingListEntry.objects.filter(pk=first.pk).update(offer_expires_at=over)

        def claim_at_the_end(over=over):
            time.sleep(max(0, (over - timezone.now()).total_seconds() - 0.003))
            return claim_place(user=first.user, entry_id=first.pk)

        def pass_on_at_the_end(over=over):
            time.sleep(max(0, (over - timezone.now()).total_seconds()))
            return pass_on_offers()

        claimed, _ = race(claim_at_the_end, pass_on_at_the_end)
        first.refresh_from_db()
        second.refresh_from_db()
        if isinstance(claimed, VirtualClass):
            assert (first.state, second.state) == ("claimed", "waiting")
            break
        assert (first.state, second.state) == ("expired", "offered")
        WaitingListEntry.objects.filter(pk=second.pk).update(
            state="waiting", offered_at=None, offer_expires_at=None
        )
        WaitingListEntry.objects.filter(pk=first.pk).update(state="offered")
    assert is_consistent()
