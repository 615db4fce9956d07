"""A purchase that is no longer kept lapses, unless its money is on its way: by row and by query."""

from datetime import timedelta
from itertools import product

import pytest
from django.utils import timezone

from bookings.models import ClassStatus, PaymentCharge, Purchase, PurchaseState
from tests.factories import (
    BankTransferFactory,
    PaymentFactory,
    PlaceFactory,
    PurchaseFactory,
    VirtualClassFactory,
)

pytestmark = pytest.mark.django_db

NOW = timezone.now()
OVER = NOW - timedelta(minutes=1)


def make_one_of_each() -> list[Purchase]:
    """Store a purchase of each kind, state and end, with each way of money."""
    kinds = ["class", "requested", "scheduled", "place", "unbooked"]
    states = [PurchaseState.KEPT, PurchaseState.LAPSED, PurchaseState.ENDED]
    ends = [None, OVER, NOW + timedelta(hours=1)]
    moneys = ["", "announced", "refused", "pending", "rejected"]
    return [make(*each) for each in product(kinds, states, ends, moneys)]


def make(kind: str, state: PurchaseState, until, money: str) -> Purchase:
    sale = {"state": state, "kept_until": until}
    if kind == "place":
        purchase = PlaceFactory(**sale)
    elif kind == "unbooked":
        purchase = PurchaseFactory(**sale)
    else:
        requested_at = NOW if kind == "requested" else None
        booked = {"status": ClassStatus.PENDING, "scheduling_requested_at": requested_at}
        booked = {"scheduled": True} if kind == "scheduled" else booked
        purchase = VirtualClassFactory(**booked, **sale).purchase
    if money in {"announced", "refused"}:
        BankTransferFactory(purchase=purchase, state=money)
    elif money:
        payment = PaymentFactory(purchase=purchase, status="pending")
        PaymentCharge.objects.create(
            provider="mercadopago",
            payment=payment,
            charge_id=purchase.pk.hex,
            status=money,
            amount=1,
            currency="ARS",
            account_id="1",
            provider_updated_at=NOW,
        )
    return purchase


def test_row_and_query_agree():
    made = make_one_of_each()

    rows = Purchase.objects.filter(pk__in=[one.pk for one in made])
    lapsed, awaited = set(rows.lapsed(NOW)), set(rows.awaited())
    stored = list(rows.select_related("virtual_class"))

    assert {one for one in stored if one.has_lapsed(NOW)} == lapsed
    assert {one for one in stored if one.is_awaited()} == awaited
    assert 0 < len(lapsed) < len(stored)


@pytest.mark.parametrize("kind", ["class", "place", "unbooked"])
def test_an_unpaid_purchase_lapses_with_its_time(kind):
    over = make(kind, PurchaseState.KEPT, OVER, "")
    kept = make(kind, PurchaseState.KEPT, NOW + timedelta(hours=1), "")

    assert (over.has_lapsed(NOW), kept.has_lapsed(NOW)) == (True, False)


@pytest.mark.parametrize("money", ["announced", "pending"])
def test_awaited_money_keeps_it_open(money):
    assert not make("class", PurchaseState.KEPT, OVER, money).has_lapsed(NOW)


def test_a_class_in_the_calendar_does_not_lapse():
    assert not make("scheduled", PurchaseState.KEPT, OVER, "").has_lapsed(NOW)
