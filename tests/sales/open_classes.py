"""Open classes for tests: published, with places that people hold and pay."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from bookings.domain.sales.buying import hold_place
from bookings.domain.sales.open_classes import (
    OpenClassDraft,
    count_left,
    publish_open_class,
    with_counts,
)
from bookings.domain.sales.settling import settle
from bookings.models import Hold, OpenClass, Payment, Purchase, Refund, UserActivity
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
        is_sold=False,
        booked_by=teacher,
        start_time=plan.start,
        end_time=plan.end,
        class_price=0,
        max_participants=plan.places + 1,
        has_preference=False,
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


def hold(open_class: OpenClass, user: User | None = None) -> Purchase:
    return hold_place(user=user or UserFactory(), open_class_id=open_class.pk)


def pay(mercadopago: Any, place: Purchase, **how: Any) -> Purchase:
    """Pay a place, and settle it; return it as stored."""
    mercadopago.pay(place.payment.preference_id, **how)
    return look(place)


def look(place: Purchase) -> Purchase:
    settle(place.payment.preference_id or "")
    return read(place)


def read(place: Purchase) -> Purchase:
    places = Purchase.objects.select_related("payment", "virtual_class__open_class")
    return places.get(pk=place.pk)


def take(mercadopago: Any, open_class: OpenClass, count: int = 1) -> list[Purchase]:
    """Let so many new people hold and pay a place each."""
    return [pay(mercadopago, hold(open_class)) for _ in range(count)]


def find_places_left(open_class: OpenClass) -> int:
    """Return how many places anybody may still take."""
    return count_left(with_counts(timezone.now()).get(pk=open_class.pk))


def end_everything(ago: timedelta = timedelta(minutes=1)) -> None:
    """End what every purchase, chosen time and preference is kept for."""
    past = timezone.now() - ago
    Purchase.objects.update(kept_until=past)
    Hold.objects.chosen().update(expires_at=past)
    Payment.objects.update(expires_at=past)


def expire(place: Purchase) -> None:
    long_ago = timezone.now() - timedelta(minutes=1)
    Purchase.objects.filter(pk=place.pk).update(kept_until=long_ago)


def people(open_class: OpenClass) -> set[Any]:
    return set(
        UserActivity.objects.filter(virtual_class=open_class.pk).values_list("user", flat=True)
    )


def is_refunded(place: Purchase, reason: str) -> bool:
    """True if all of a place's money is to go back, once, for this reason."""
    refunds = Refund.objects.filter(purchase=place)
    return list(refunds.values_list("amount", "reason")) == [(PRICE, reason)]
