"""The demo's open classes: one with places left, and one that is decided soon."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from accounts.models import Level, User
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.open_classes import OpenClassDraft, publish_open_class
from bookings.models import OpenClass, Purchase, PurchaseKind

CONVERSATION = "Conversación B1"
EXAM_CLUB = "Club de lectura en inglés"


def seed_open_classes(
    teacher: User, people: Sequence[User], *, first: datetime, second: datetime
) -> None:
    conversation = OpenClassDraft(
        title=CONVERSATION,
        text="Charlamos en grupo sobre un tema nuevo cada semana. Traé ganas de hablar.",
        level=Level.INTERMEDIATE,
        start=first,
        minutes=60,
        places=6,
        minimum=3,
        place_price=800_000,
        decides_at=first - timedelta(days=1),
    )
    club = OpenClassDraft(
        title=EXAM_CLUB,
        text="Leemos un cuento corto y lo comentamos.",
        start=second,
        minutes=90,
        places=8,
        minimum=4,
        place_price=0,
        decides_at=second - timedelta(days=2),
    )
    _take_places(publish_open_class(draft=conversation, by=teacher), people, teacher)
    _take_places(publish_open_class(draft=club, by=teacher), people[:1], teacher)


def _take_places(open_class: OpenClass, people: Sequence[User], teacher: User) -> None:
    booked = open_class.virtual_class
    for person in people:
        place = Purchase.objects.create(
            kind=PurchaseKind.PLACE,
            person=person,
            virtual_class=booked,
            price=open_class.place_price,
            kept_until=booked.start_time,
        )
        pay_place_by_hand(purchase_id=place.pk, actor=teacher)
