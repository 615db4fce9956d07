"""The demo's open classes: one with places left, and one that is decided soon."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from bookings.domain.open_classes.seats import pay_seat_by_hand

from accounts.models import Level, User
from bookings.domain.checkout.publishing import OpenClassDraft, publish_open_class
from bookings.models import OpenClass, Seat

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
    _take_seats(publish_open_class(draft=conversation, by=teacher), people, teacher)
    _take_seats(publish_open_class(draft=club, by=teacher), people[:1], teacher)


def _take_seats(open_class: OpenClass, people: Sequence[User], teacher: User) -> None:
    start = open_class.virtual_class.start_time
    for person in people:
        seat = Seat.objects.create(
            open_class=open_class, user=person, price=open_class.place_price, expires_at=start
        )
        pay_seat_by_hand(seat_id=seat.pk, actor=teacher)
