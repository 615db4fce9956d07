"""Open classes for tests: published, with seats that people hold and pay."""

from datetime import datetime, timedelta
from typing import Any

from bookings.domain.open_classes.seats import hold_seat
from django.utils import timezone

from accounts.models import User
from bookings.domain.checkout.publishing import OpenClassDraft, publish_open_class
from bookings.domain.checkout.settling import settle
from bookings.domain.open_classes.listing import count_left, with_counts
from bookings.models import OpenClass, Refund, Seat, UserActivity
from tests.factories import OpenClassFactory, UserFactory, VirtualClassFactory

PRICE = 800_000


def in_days(days: float) -> datetime:
    return (timezone.now() + timedelta(days=days)).replace(minute=0, second=0, microsecond=0)


def draft(**changes: Any) -> OpenClassDraft:
    """Six places next week, at least three people, decided the day before."""
    usual: dict[str, Any] = {
        "title": "Conversación B1",
        "start": in_days(7),
        "minutes": 60,
        "places": 6,
        "minimum": 3,
        "place_price": PRICE,
        "decides_at": in_days(6),
    }
    return OpenClassDraft(**usual | changes)


def publish(teacher: User, **changes: Any) -> OpenClass:
    return publish_open_class(draft=draft(**changes), by=teacher)


def store(teacher: User, **changes: Any) -> OpenClass:
    """Store a published class as ``publish`` leaves it, but for its event, history and mails."""
    plan = draft(**changes)
    virtual_class = VirtualClassFactory(
        scheduled=True,
        booked_by=teacher,
        start_time=plan.start,
        end_time=plan.end,
        class_price=0,
        max_participants=plan.places + 1,
        has_preference=False,
        paid_at=timezone.now(),
        owns_time=True,
    )
    return OpenClassFactory(
        virtual_class=virtual_class,
        title=plan.title,
        places=plan.places,
        minimum=plan.minimum,
        place_price=plan.place_price,
        decides_at=plan.decides_at,
    )


def hold(open_class: OpenClass, user: User | None = None) -> Seat:
    return hold_seat(user=user or UserFactory(), open_class_id=open_class.pk)


def pay(mercadopago: Any, seat: Seat, **how: Any) -> Seat:
    """Pay a seat, and settle it; return it as stored."""
    mercadopago.pay(seat.payment.preference_id, **how)
    return look(seat)


def look(seat: Seat) -> Seat:
    settle(seat.payment.preference_id)
    return read(seat)


def read(seat: Seat) -> Seat:
    return Seat.objects.select_related("payment", "open_class__virtual_class").get(pk=seat.pk)


def take(mercadopago: Any, open_class: OpenClass, count: int = 1) -> list[Seat]:
    """Let so many new people hold and pay a seat each."""
    return [pay(mercadopago, hold(open_class)) for _ in range(count)]


def find_places_left(open_class: OpenClass) -> int:
    """Return how many places anybody may still take."""
    return count_left(with_counts(timezone.now()).get(pk=open_class.pk))


def expire(seat: Seat) -> None:
    Seat.objects.filter(pk=seat.pk).update(expires_at=timezone.now() - timedelta(minutes=1))


def people(open_class: OpenClass) -> set[Any]:
    return set(
        UserActivity.objects.filter(virtual_class=open_class.pk).values_list("user", flat=True)
    )


def is_refunded(seat: Seat, reason: str) -> bool:
    """True if all of a seat's money is to go back, once, for this reason."""
    refunds = Refund.objects.filter(charge__payment=seat.payment)
    return list(refunds.values_list("amount", "reason")) == [(PRICE, reason)]
