"""Who and what the service holds while it is measured."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.utils import timezone

from accounts.models import Session, User
from accounts.sessions.engine import SessionStore
from accounts.sessions.tokens import issue_token
from bookings.models import (
    ClassStatus,
    ClassType,
    HostType,
    Purchase,
    PurchaseKind,
    PurchaseState,
    Role,
    UserActivity,
    VirtualClass,
)
from tests.bench.filling import fill, id_of, id_sql, moment_sql, numbers, text_sql
from tests.bench.service import TEACHER_EMAIL
from tests.drills.standins import Remote

PEOPLE, CLASSES = 1, 2  # kinds of ids
PLACES = 30
PRICE = 1_500_000  # centavos
HOUR = 3600  # seconds
HOURS = 50_000  # over which classes are spread: some years


def add_people(first: int, last: int) -> None:
    """Store people with these numbers."""
    fill(
        User(name="Ana Bench"),
        numbers(first, last),
        id=id_sql(PEOPLE),
        email=text_sql("person{}@example.com"),
    )


def sign_in(people: Iterable[int]) -> list[str]:
    """Give each of the people a session; the ``Cookie`` header of each, in their order."""
    store = SessionStore()
    rows, cookies = [], []
    for user in [User(pk=id_of(PEOPLE, number)) for number in people]:
        key = f"{user.pk.int:032x}"
        data = {
            SESSION_KEY: str(user.pk),
            BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
            HASH_SESSION_KEY: user.get_session_auth_hash(),
        }
        expires = timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE)
        rows.append(
            Session(
                session_key=key, session_data=store.encode(data), user=user, expire_date=expires
            )
        )
        token = issue_token(session_id=key, user_id=str(user.pk)).value
        cookies.append(f"{settings.SESSION_COOKIE_NAME}={token}")
    Session.objects.bulk_create(rows, batch_size=500)
    return cookies


def add_scheduled_classes(
    first: int, last: int, *, places: int = PLACES, full: bool = False, **expressions: str
) -> None:
    """Store group classes with these numbers, an hour each from tomorrow on, and their hosts.

    full: whether every place is taken, by people who do not exist. The code of a class is its
    number (``code_of``); the host is person 1 unless ``booked_by_id`` says otherwise.
    """
    start = _tomorrow()
    host = {"booked_by_id": id_sql(PEOPLE, "1"), **expressions}
    fill(
        _scheduled_class(places, places if full else 1),
        numbers(first, last),
        **{
            "id": id_sql(CLASSES),
            "preference_id": text_sql("bench-{}"),
            "access_code": text_sql("{}"),
            "provider_event_id": text_sql("benchevent{}"),
            "start_time": moment_sql(f"{start} + n %% {HOURS} * {HOUR}"),
            "end_time": moment_sql(f"{start} + n %% {HOURS} * {HOUR} + 3000"),
            **host,
        },
    )
    fill(
        UserActivity(rol=Role.HOST),
        numbers(first, last),
        virtual_class_id=id_sql(CLASSES),
        user_id=host["booked_by_id"],
    )
    now = timezone.now()
    _sell(Purchase(state=PurchaseState.PAID, paid_at=now), first, last, host["booked_by_id"])


def _sell(template: Purchase, first: int, last: int, person: str) -> None:
    """Store the purchases of classes. person: an expression."""
    template.kind, template.price = PurchaseKind.CLASS, PRICE
    fill(
        template,
        numbers(first, last),
        id=id_sql(CLASSES),
        virtual_class_id=id_sql(CLASSES),
        person_id=person,
    )


def code_of(number: int) -> str:
    """Give the access code of the class with this number."""
    return f"{number:08d}"


def booking_body(number: int) -> dict[str, Any]:
    """Give the body of a booking, with a preference of its own."""
    start = timezone.localtime().replace(microsecond=0) + timedelta(days=3)
    return {
        "start": start.isoformat(),
        "end": (start + timedelta(minutes=50)).isoformat(),
        "isGroupClass": False,
        "studentsCount": 1,
        "price": PRICE,
        "preferenceId": f"bench-booking-{number}",
        "text": "Conversación",
    }


def _scheduled_class(places: int, taken: int) -> VirtualClass:
    return VirtualClass(
        class_type=ClassType.GROUP,
        class_price=PRICE,
        utc_offset=-180,
        max_participants=places,
        current_participants=taken,
        participants_ids=[str(id_of(PEOPLE, 1))],
        status=ClassStatus.SCHEDULED,
        host_type=HostType.HOST,
        html_link="https://meet.google.com/abc-defg-hij",
        summary="Clase de Inglés. La clase será grupal.",
        scheduling_requested_at=timezone.now(),
    )


def add_teacher(google: Remote) -> None:
    """Store the teacher, with a grant for the calendar that the stand-in accepts."""
    User.objects.create(
        email=TEACHER_EMAIL,
        name="Paula Profe",
        is_staff=True,
        is_superuser=True,
        provider_refresh_token=google.grant(TEACHER_EMAIL),
        provider_token_saved_at=timezone.now(),
    )


def add_waiting_classes(first: int, last: int) -> None:
    """Store pending classes of person 1 that somebody may have scheduled, one after the other."""
    start = _tomorrow()
    fill(
        VirtualClass(
            class_type=ClassType.INDIVIDUAL,
            class_price=PRICE,
            utc_offset=-180,
            max_participants=1,
            participants_ids=[str(id_of(PEOPLE, 1))],
        ),
        numbers(first, last),
        id=id_sql(CLASSES),
        booked_by_id=id_sql(PEOPLE, "1"),
        preference_id=text_sql("waiting-{}"),
        start_time=moment_sql(f"{start} + n * {HOUR}"),
        end_time=moment_sql(f"{start} + n * {HOUR} + 3000"),
    )
    _sell(Purchase(), first, last, id_sql(PEOPLE, "1"))


def preference_of(number: int) -> str:
    """Give the preference of a waiting class."""
    return f"waiting-{number:08d}"


def _tomorrow() -> int:
    return int(timezone.now().timestamp()) // HOUR * HOUR + 24 * HOUR
