"""No place of an open class is withheld without paying for it."""

import itertools
import os
import random
from collections import defaultdict
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import leave_class
from bookings.domain.exceptions import BookingError, OfferLapsedError
from bookings.domain.places.participants import count_kept_places, pass_on_offers
from bookings.domain.places.waiting_list import PAUSE, leave_line, wait_again, wait_for_open_class
from bookings.domain.sales import holds
from bookings.domain.sales.buying import hold_place, release_place
from bookings.models import (
    ClassLog,
    Purchase,
    PurchaseState,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
)
from tests.factories import UserFactory
from tests.pages.texts import text_of
from tests.sales.open_classes import expire, hold, in_days, pay, store, take

pytestmark = pytest.mark.django_db

# As a command: ORDERS=100 pytest tests/sales/test_waiting_for_places.py
ORDERS = int(os.environ.get("ORDERS", "3"))
STEPS = 40


@pytest.fixture
def full(mercadopago, teacher):
    """An open class of one place, which is paid."""
    open_class = store(teacher, places=1, minimum=1)
    take(mercadopago, open_class)
    return open_class


@pytest.fixture
def offer(full, student):
    """The freed place, offered to the student."""
    entry = wait_for_open_class(user=student, class_id=full.pk)
    place = Purchase.objects.places().get(state=PurchaseState.PAID)
    leave_class(class_id=full.pk, user=place.person)
    entry.refresh_from_db()
    return entry


def end(offer, ago=timedelta()):
    WaitingListEntry.objects.filter(pk=offer.pk).update(offer_expires_at=timezone.now() - ago)
    pass_on_offers()


def test_nobody_waits_for_a_place_that_can_be_bought(open_class, student):
    with pytest.raises(BookingError, match="Todavía queda lugar"):
        wait_for_open_class(user=student, class_id=open_class.pk)

    assert not WaitingListEntry.objects.exists()


def test_nobody_waits_who_has_a_place_to_pay(mercadopago, teacher, student):
    open_class = store(teacher, places=1, minimum=1)
    hold(open_class, student)

    with pytest.raises(BookingError, match="falta que lo pagues"):
        wait_for_open_class(user=student, class_id=open_class.pk)


def lapse(offer, mercadopago):
    end(offer)


def decline(offer, mercadopago):
    leave_line(user=offer.user, entry_id=offer.pk)


def hold_and_let_go(offer, mercadopago):
    expire(hold_place(user=offer.user, open_class_id=offer.virtual_class_id))


@pytest.mark.parametrize("end_unpaid", [lapse, decline, hold_and_let_go])
def test_an_offered_place_that_was_not_paid_is_not_offered_again_for_a_day(
    mercadopago, offer, end_unpaid, time_machine
):
    end_unpaid(offer, mercadopago)
    take(mercadopago, offer.virtual_class.open_class)

    with pytest.raises(OfferLapsedError):
        wait_again(user=offer.user, entry_id=offer.pk)

    time_machine.move_to(timezone.now() + PAUSE, tick=False)
    assert wait_again(user=offer.user, entry_id=offer.pk).state == WaitingState.WAITING


def test_a_person_who_paid_and_left_waits_again(mercadopago, offer):
    open_class = offer.virtual_class.open_class
    pay(mercadopago, hold(open_class, offer.user))
    leave_class(class_id=open_class.pk, user=offer.user)
    take(mercadopago, open_class)

    assert wait_again(user=offer.user, entry_id=offer.pk).state == WaitingState.WAITING


@pytest.mark.parametrize(("days", "says_when"), [(7, True), (1, False)])
def test_the_page_says_why_and_until_when(mercadopago, offer, sign_in, days, says_when):
    VirtualClass.objects.update(
        start_time=in_days(days), end_time=in_days(days) + timedelta(hours=1)
    )
    end(offer, ago=timedelta(minutes=1))
    client = sign_in(offer.user)

    page = client.get(reverse("bookings:claim_place", args=[offer.pk]))
    refused = client.post(reverse("bookings:wait_again", args=[offer.pk]), follow=True)

    text = text_of(page)
    assert "Te ofrecimos un lugar y no lo pagaste" in text
    assert ("Podés volver a la lista desde mañana" in text) == says_when
    assert "Volver a la lista" not in text
    assert "Todavía queda lugar" in text_of(refused)


# --- Under attack ---------------------------------------------------------------------------------


class Attack:
    """People who want to keep the only place of a class unpaid; refused steps change nothing."""

    def __init__(self, seed, mercadopago, teacher, clock):
        self.random, self.mercadopago, self.clock = random.Random(seed), mercadopago, clock
        self.open_class = store(teacher, start=in_days(30), places=1, minimum=1)
        self.people = UserFactory.create_batch(4)

    def step(self):
        steps = [self.hold, self.pay, self.release, self.wait, self.wait, self.again, self.again]
        steps += [self.decline, self.leave, self.let_time_pass, self.let_time_pass]
        had, could_buy = self.list_line(), self.can_buy()
        chosen = self.random.choice(steps)
        try:
            chosen(self.random.choice(self.people))
        except BookingError:
            assert self.list_line() == had
        if chosen in (self.wait, self.again) and could_buy:
            assert self.list_line() <= had

    def list_line(self):
        line = WaitingListEntry.objects.filter(state__in=["waiting", "offered"])
        return set(line.values_list("user", flat=True))

    def can_buy(self):
        virtual_class = VirtualClass.objects.get(pk=self.open_class.pk)
        return virtual_class.free_places > count_kept_places(virtual_class)

    def hold(self, user):
        hold(self.open_class, user)

    def pay(self, user):
        if place := user.purchases.places().filter(state=PurchaseState.KEPT, paid_at=None).first():
            pay(self.mercadopago, place)

    def release(self, user):
        if place := user.purchases.places().filter(state=PurchaseState.KEPT).first():
            release_place(user=user, purchase_id=place.pk)

    def wait(self, user):
        wait_for_open_class(user=user, class_id=self.open_class.pk)

    def again(self, user):
        if entry := user.waiting_list_entries.first():
            wait_again(user=user, entry_id=entry.pk)

    def decline(self, user):
        if entry := user.waiting_list_entries.first():
            leave_line(user=user, entry_id=entry.pk)

    def leave(self, user):
        leave_class(class_id=self.open_class.pk, user=user)

    def let_time_pass(self, user):
        minutes = self.random.choice([5, 16, 60, 13 * 60])
        self.clock.move_to(timezone.now() + timedelta(minutes=minutes), tick=False)
        pass_on_offers()

    def check(self):
        """No second offer within a day of an earlier one, unless the place was paid between."""
        offers = defaultdict(list)
        for line in ClassLog.objects.filter(event="offered").order_by("at", "id"):
            offers[line.details["person"]].append(line)
        paid = list(
            Purchase.objects.places().exclude(paid_at=None).values_list("person", "paid_at")
        )
        for person, lines in offers.items():
            for earlier, later in itertools.pairwise(lines):
                is_paid = any(str(u) == person and earlier.at <= at <= later.at for u, at in paid)
                assert is_paid or later.at - earlier.at >= PAUSE


@pytest.mark.parametrize("seed", range(ORDERS))
def test_waiting_under_attack(seed, mercadopago, teacher, settings, time_machine, monkeypatch):
    monkeypatch.setattr(holds, "MAX_LAPSED", 1000)
    settings.MAX_UNPAID_HOLDS = settings.MAX_BOOKINGS = settings.MAX_WAITS = 1000
    time_machine.move_to(timezone.now(), tick=False)
    attack = Attack(seed, mercadopago, teacher, time_machine)

    for _ in range(STEPS):
        attack.step()
        attack.check()
