"""domain/money/discounts.py: codes as people type them, what they take off, and their uses."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.exceptions import TooManyAttemptsError
from bookings.domain.money.discounts import (
    DiscountCodeError,
    count_off,
    find_discount,
    list_uses,
    normalize_discount_code,
    take_discount,
    with_uses,
)
from bookings.models import ClassStatus, Purchase, PurchaseState, TransferState
from bookings.models.sales.discount_code import DiscountCode
from tests.discount_codes import DiscountCodeFactory
from tests.factories import BankTransferFactory, HoldFactory, PlaceFactory, VirtualClassFactory

pytestmark = pytest.mark.django_db

PRICE = 1_500_000


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("AMIGOS", "AMIGOS"),
        (" amigos ", "AMIGOS"),
        ("Ami-gos", "AMIGOS"),
        ("ami\u2013gos\u00a010", "AMIGOS10"),
        ("a.m_i", "AMI"),
        ("AB", None),
        ("", None),
        ("A" * 21, None),
        ("AMIGOŚ", None),
        ("stra\u00dfe", None),
        ("AMI\0GOS", None),
    ],
)
def test_a_code_is_read_as_people_type_it(typed, code):
    assert normalize_discount_code(typed) == code


@pytest.mark.parametrize(
    ("off", "price", "left"),
    [
        ({"percent": 10}, 1_500_000, 1_350_000),
        ({"percent": 33}, 1_000_000, 670_000),
        ({"percent": 33}, 100_100, 67_000),
        ({"percent": 15}, 99_900, 84_900),
        ({"percent": 10}, 50, 0),
        ({"percent": 1}, 100, 0),
        ({"percent": 100}, 1_500_000, 0),
        ({"amount": 200_000}, 1_500_000, 1_300_000),
        ({"amount": 200_000}, 200_000, 0),
        ({"amount": 200_000}, 150_000, 0),
        ({"amount": 100}, 150_050, 149_900),
        ({"percent": 7}, 10**10, 9_300_000_000),
    ],
)
def test_what_is_left_is_whole_pesos_rounded_for_the_student(off, price, left):
    assert price - count_off(DiscountCode(code="X", **off), price) == left


@pytest.mark.parametrize(
    "changes",
    [
        {"code": "OTHER"},
        {"is_active": False},
        {"valid_until": timezone.localdate() - timedelta(days=1)},
        {"max_uses": 0},
    ],
    ids=["unknown", "stopped", "over", "used up"],
)
def test_every_refusal_reads_alike(host, changes):
    DiscountCodeFactory(**{"code": "AMIGOS"} | changes)

    with pytest.raises(DiscountCodeError) as refusal:
        find_discount(user=host, typed="AMIGOS", amount=PRICE)

    assert str(refusal.value) == DiscountCodeError.text


def test_a_code_counts_on_its_last_day(host):
    DiscountCodeFactory(code="HOY", valid_until=timezone.localdate())

    assert find_discount(user=host, typed="HOY", amount=PRICE)


# --- Uses -----------------------------------------------------------------------------------------


@pytest.fixture
def code(db) -> DiscountCode:
    return DiscountCodeFactory(code="AMIGOS", max_uses=1)


def count_uses(code):
    uses = with_uses(DiscountCode.objects.all()).get(pk=code.pk).uses
    assert uses == list_uses().count()
    return uses


def keep_class(code, host, *, minutes=15, **changes):
    virtual_class = VirtualClassFactory(
        booked_by=host, discount_code=code, has_preference=False, **changes
    )
    kept_until = timezone.now() + timedelta(minutes=minutes)
    HoldFactory(purchase=virtual_class.purchase, expires_at=kept_until)
    return virtual_class


@pytest.mark.parametrize(
    ("changes", "uses"),
    [
        ({"minutes": -1}, 0),
        ({"minutes": -1, "paid_at": timezone.now()}, 1),
        ({"minutes": -1, "scheduled": True}, 1),
        ({"status": ClassStatus.CANCELLED}, 0),
        ({"status": ClassStatus.CANCELLED, "paid_at": timezone.now()}, 0),
        ({"state": PurchaseState.LAPSED}, 0),
    ],
    ids=["expired", "paid", "scheduled", "cancelled", "paid and cancelled", "time lost"],
)
def test_a_class_uses_the_code_while_it_is_kept_or_paid(code, host, stranger, changes, uses):
    keep_class(code, host, **changes)

    assert count_uses(code) == uses
    if not uses:
        assert find_discount(user=stranger, typed="AMIGOS", amount=PRICE)


@pytest.mark.parametrize(
    ("state", "uses"), [(TransferState.ANNOUNCED, 1), (TransferState.REFUSED, 0)]
)
def test_a_transfer_that_was_announced_keeps_the_use(code, host, state, uses):
    BankTransferFactory(purchase=keep_class(code, host, minutes=-1).purchase, state=state)
    assert count_uses(code) == uses

    place = PlaceFactory(discount_code=code, kept_until=timezone.now())
    BankTransferFactory(purchase=place, state=state)
    assert count_uses(code) == 2 * uses

    # Given up, it still gets a place for the money.
    Purchase.objects.places().update(state=PurchaseState.LAPSED)
    assert count_uses(code) == 2 * uses


@pytest.mark.parametrize(
    ("state", "minutes", "uses"),
    [
        (PurchaseState.KEPT, 15, 1),
        (PurchaseState.KEPT, -1, 0),
        (PurchaseState.PAID, -1, 1),
        (PurchaseState.LOST, 15, 0),
        (PurchaseState.LAPSED, 15, 0),
        (PurchaseState.ENDED, 15, 0),
    ],
)
def test_a_place_uses_the_code_while_it_is_kept_or_taken(code, host, state, minutes, uses):
    kept_until = timezone.now() + timedelta(minutes=minutes)
    paid_at = timezone.now() if state == PurchaseState.PAID else None
    PlaceFactory(discount_code=code, state=state, kept_until=kept_until, paid_at=paid_at)

    assert count_uses(code) == uses
    if uses:
        with pytest.raises(DiscountCodeError):
            find_discount(user=host, typed="AMIGOS", amount=PRICE)


@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("used_for", ["class", "place"])
def test_once_per_person_counts_classes_and_places(host, stranger, once, used_for):
    code = DiscountCodeFactory(code="AMIGOS", once_per_person=once)
    if used_for == "class":
        keep_class(code, host)
    else:
        PlaceFactory(person=host, discount_code=code)

    assert find_discount(user=stranger, typed="AMIGOS", amount=PRICE)
    if once:
        with pytest.raises(DiscountCodeError):
            find_discount(user=host, typed="AMIGOS", amount=PRICE)
    else:
        assert find_discount(user=host, typed="AMIGOS", amount=PRICE)


# --- Guessing -------------------------------------------------------------------------------------


def test_wrong_codes_are_limited_for_each_person(host, stranger, settings):
    settings.MAX_WRONG_CODES = 3
    DiscountCodeFactory(code="AMIGOS")
    for typed in ("WRONG1", "WRONG2", "!"):
        with pytest.raises(DiscountCodeError):
            find_discount(user=host, typed=typed, amount=PRICE)

    with pytest.raises(TooManyAttemptsError):
        find_discount(user=host, typed="AMIGOS", amount=PRICE)
    with pytest.raises(TooManyAttemptsError):
        take_discount(user=host, typed="AMIGOS", amount=PRICE)
    assert find_discount(user=stranger, typed="AMIGOS", amount=PRICE)
