"""The demo's classes, in every state a class can be in."""

import uuid
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone

from accounts.models import Level, User
from accounts.services import write_down
from bookings.availability.agenda import load_hours
from bookings.domain.classes.booking import BookingRequest, book_class
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.money.discounts import find_discount
from bookings.domain.money.prices import Quote, find_price
from bookings.domain.money.purchases import book_cash, pay_purchase
from bookings.domain.places.joining import join_class
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.her_bookings import book_for, confirm_payment
from bookings.domain.sales.open_classes import OpenClassDraft, publish_open_class
from bookings.domain.sales.transfers import announce_transfer
from bookings.models import (
    ClassStatus,
    ClassType,
    HostType,
    Offer,
    OpenClass,
    Purchase,
    PurchaseKind,
    Role,
    UserActivity,
    VirtualClass,
)
from config.lib.wall_time import find_offset
from tests.demo.payments import book_paid, dispute, give_half_back, pay_given
from tests.demo.people import (
    ACCESS_CODE,
    ANA,
    BRUNO,
    CARLA,
    DIEGO,
    LUCIA_NAME,
    LUCIA_PHONE,
    TEACHER,
    DemoPerson,
)
from tests.demo.teacher import EXAM, FRIENDS

HOUR = timedelta(hours=1)


def seed_classes(people: dict[DemoPerson, User]) -> None:
    teacher, ana, bruno = people[TEACHER], people[ANA], people[BRUNO]
    carla, diego = people[CARLA], people[DIEGO]

    conversation = _book(
        ana, _open_at(2, 18), students=4, text="Conversación: viajes y aeropuertos."
    )
    _schedule(conversation, teacher)
    VirtualClass.objects.filter(pk=conversation.pk).update(access_code=ACCESS_CODE)
    join_class(user=bruno, access_code=ACCESS_CODE)

    full = book_paid(carla, _quote(_open_at(3, 19), 2), "Repaso para el First Certificate.")
    full.refresh_from_db()
    join_class(user=diego, access_code=full.access_code or "")

    interview = _book(
        bruno, _open_at(1, 10), text="Entrevista de trabajo en inglés.", typed_code=FRIENDS
    )
    _schedule(interview, teacher)
    _book(ana, _open_at(4, 9), text="Pronunciación.")
    programming = _book(diego, _open_at(5, 17), students=6, text="Inglés para programadores.")
    sold = programming.purchases.get()
    announce_transfer(user=diego, purchase=sold, operation_number="0000 7002 4517")

    exam = Offer.objects.get(name=EXAM)
    _schedule(_book(carla, _open_at(7, 15), text="Writing, parte 2.", offer=exam), teacher)

    called_off = _book(bruno, _open_at(6, 16), text="Phrasal verbs.")
    _schedule(called_off, teacher)
    cancel_class(class_id=called_off.pk, actor=teacher, reason="Ese día es feriado.")

    _seed_open_classes(teacher, [carla, diego], first=_open_at(8, 19), second=_open_at(10, 18))
    _book_for_lucia(teacher, _open_at(3, 11))

    today = timezone.localdate()
    group = _store_completed(ana, [carla], _at(today - timedelta(days=7), 18))
    sold = group.purchases.get()
    pay_purchase(sold, group.start_time - timedelta(days=1))
    book_cash(sold, sold.price, people[TEACHER])
    _seed_given(people, today)


def _seed_given(people: dict[DemoPerson, User], today: date) -> None:
    """Classes that were paid through Mercado Pago: three of these days, two of last month."""
    pay_given(_store_completed(people[ANA], [], _at(today - timedelta(days=2), 9)))
    half = pay_given(_store_completed(people[BRUNO], [], _at(today - timedelta(days=4), 10)))
    give_half_back(half, by=people[TEACHER])
    dispute(pay_given(_store_completed(people[DIEGO], [], _at(today - timedelta(days=6), 17))))
    last_month = today.replace(day=1) - timedelta(days=1)
    for day in (6, 20):
        pay_given(_store_completed(people[CARLA], [], _at(last_month.replace(day=day), 11)))


def _book_for_lucia(teacher: User, start: datetime) -> None:
    """Book for a person without an account; the class's sheet has the link to send."""
    lucia = write_down(name=LUCIA_NAME, phone=LUCIA_PHONE)
    price = find_price(class_type=ClassType.INDIVIDUAL, minutes=60, students=1)
    book_for(
        student=lucia,
        start=start,
        minutes=60,
        class_type=ClassType.INDIVIDUAL,
        students=1,
        price=price,
        is_paid=False,
        by=teacher,
    )


def _open_at(count: int, hour: int) -> datetime:
    """Return the hour on the ``count``-th day from tomorrow that is open then."""
    tomorrow = timezone.localdate() + timedelta(days=1)
    openings = load_hours(tomorrow, tomorrow + timedelta(days=30)).openings
    starts = (_at(tomorrow + timedelta(days=offset), hour) for offset in range(30))
    open_starts = [
        start
        for start in starts
        if any(opening.start <= start and start + HOUR <= opening.end for opening in openings)
    ]
    return open_starts[count - 1]


def _at(day: date, hour: int) -> datetime:
    return datetime.combine(day, time(hour), tzinfo=ZoneInfo(settings.TIME_ZONE))


def _book(
    user: User,
    start: datetime,
    *,
    students: int = 1,
    text: str = "",
    offer: Offer | None = None,
    typed_code: str = "",
) -> VirtualClass:
    class_type = ClassType.GROUP if students > 1 else ClassType.INDIVIDUAL
    price = find_price(class_type=class_type, minutes=60, students=students, offer=offer)
    found = find_discount(user=user, typed=typed_code, amount=price) if typed_code else None
    price -= found.amount if found else 0
    request = BookingRequest(
        Quote(start, start + HOUR, students > 1, students, price),
        # Another system's preference would have to pay the list's price.
        preference_id=None if found else f"demo-{uuid.uuid4()}",
        offer=offer,
        sale=found.fields if found else {},
        words={"learning_focus": text},
    )
    return book_class(user=user, request=request)


def _quote(start: datetime, students: int) -> Quote:
    class_type = ClassType.GROUP if students > 1 else ClassType.INDIVIDUAL
    price = find_price(class_type=class_type, minutes=60, students=students)
    return Quote(start, start + HOUR, students > 1, students, price)


def _schedule(virtual_class: VirtualClass, teacher: User) -> str:
    """Schedule as the teacher would; return the access code."""
    return confirm_payment(class_id=virtual_class.pk, actor=teacher).access_code or ""


def _store_completed(host: User, guests: list[User], start: datetime) -> VirtualClass:
    """Store a class that was given and is not paid yet."""
    everybody = [host, *guests]
    class_type, students = (ClassType.GROUP, 3) if guests else (ClassType.INDIVIDUAL, 1)
    virtual_class = VirtualClass.objects.create(
        booked_by=host,
        preference_id=f"demo-{uuid.uuid4()}",
        start_time=start,
        end_time=start + HOUR,
        utc_offset=find_offset(start),
        class_type=class_type,
        class_price=find_price(class_type=class_type, minutes=60, students=students),
        max_participants=students,
        current_participants=len(everybody),
        participants_ids=[str(person.pk) for person in everybody],
        learning_focus="Past simple y past continuous.",
        status=ClassStatus.COMPLETED,
        host_type=HostType.HOST,
        summary=f"Clase de Inglés. La clase será {class_type}, para {students}.",
    )
    Purchase.objects.create(
        kind=PurchaseKind.CLASS,
        person=host,
        virtual_class=virtual_class,
        price=virtual_class.class_price,
    )
    for person in everybody:
        rol = Role.HOST if person == host else Role.PARTICIPANT
        UserActivity.objects.create(
            user=person, virtual_class=virtual_class, rol=rol, completed=True
        )
        person.total_classes += 1
        person.save(update_fields=["total_classes"])
    return virtual_class


def _seed_open_classes(
    teacher: User, people: Sequence[User], *, first: datetime, second: datetime
) -> None:
    conversation = OpenClassDraft(
        title="Conversación B1",
        text="Charlamos en grupo sobre un tema nuevo cada semana. Traé ganas de hablar.",
        title_en="B1 conversation",
        text_en="We talk as a group about a new topic each week. Come ready to speak.",
        level=Level.INTERMEDIATE,
        start=first,
        minutes=60,
        places=6,
        minimum=3,
        place_price=800_000,
        decides_at=first - timedelta(days=1),
    )
    club = OpenClassDraft(
        title="Club de lectura en inglés",
        text="Leemos un cuento corto y lo comentamos.",
        title_en="Book club in English",
        text_en="We read a short story and talk about it.",
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
