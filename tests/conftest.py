"""Shared fixtures: people, clients, the providers' stand-ins."""

from collections.abc import Callable, Iterator
from datetime import date, time
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.core.cache import cache
from django.test import Client, testcases
from google.auth import _exponential_backoff

from accounts.models import User
from bookings.domain.calendar import guests, repairing
from bookings.domain.classes import finishing
from bookings.domain.desk.own_page import SELLER_KEY, SELLER_SECONDS
from bookings.domain.sales import notifications
from bookings.models import Price, WeeklyHours
from bookings.notices import delivery
from bookings.webhooks import attempts as messenger
from calendar_sync.google import calendar as google_module
from calendar_sync.google import events
from calendar_sync.listing import guard
from tests.emptying import empty_database
from tests.environment import GITHUB, GOOGLE, MERCADOPAGO, TEACHER_EMAIL
from tests.factories import UserFactory
from tests.pages.moments import NOW
from tests.signed_in import on_forced_sign_in  # noqa: F401 - connects itself
from tests.standins import GitHubStandin, GoogleStandin, MercadoPagoStandin

ERRANDS = (
    guests.job,
    delivery.job,
    messenger.job,
    notifications.job,
    finishing.job,
    repairing.job,
    repairing.channel_job,
)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep SQLite in a file: racing threads meet real locks there, not a shared cache's."""
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        file = tmp_path_factory.mktemp("database") / "test.sqlite3"
        database.setdefault("TEST", {})["NAME"] = str(file)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Make the database, and empty it faster than ``flush`` does after tests that commit."""

    def empty(flush: str, *, database: str, **options: Any) -> None:
        empty_database(database)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testcases, "call_command", empty)
        yield


@pytest.fixture(scope="session", autouse=True)
def _brief_waits() -> Iterator[None]:
    """Wait for milliseconds between two tries at the calendar, where the service waits for seconds.

    How often it tries, and what Google tells it to wait (Retry-After), stay as they are.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "RETRY_WAITS", (0.01, 0.02))
        patch.setattr(google_module, "CONFERENCE_WAITS", (0.01, 0.02, 0.04))
        # google-auth sleeps a second and two between its own tries of the token endpoint.
        clock = SimpleNamespace(sleep=lambda seconds: None)
        patch.setattr(_exponential_backoff, "time", clock)
        yield


@pytest.fixture
def google() -> GoogleStandin:
    """Google with nothing in it: OAuth and Calendar over HTTP on loopback."""
    GOOGLE.reset()
    return GOOGLE


@pytest.fixture
def github() -> GitHubStandin:
    """GitHub with nobody in it."""
    GITHUB.reset()
    return GITHUB


@pytest.fixture
def mercadopago(settings) -> MercadoPagoStandin:
    """Mercado Pago with nothing in it, and our account at it: signed notices, real amounts."""
    MERCADOPAGO.reset()
    MERCADOPAGO.webhook_secret = settings.MERCADOPAGO_WEBHOOK_SECRET = "webhook-secret"
    # Of the account: preferences name none, as BASE_URL is not https.
    MERCADOPAGO.notification_url = (
        f"{settings.BASE_URL}/api/webhooks/mercadopago?source_news=webhooks"
    )
    settings.MERCADOPAGO_ACCESS_TOKEN = MERCADOPAGO.access_token
    settings.MERCADOPAGO_COLLECTOR_ID = str(MERCADOPAGO.collector_id)
    return MERCADOPAGO


@pytest.fixture
def kept_seller(_empty_cache: None) -> None:
    """The footer's data of the seller, which a process reads once a minute."""
    cache.set(SELLER_KEY, {"name": "", "phone": "", "email": ""}, SELLER_SECONDS)


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    cache.clear()
    guard.reset()
    yield
    cache.clear()


@pytest.fixture(autouse=True)
def _no_errands() -> Iterator[None]:
    """Start no thread, which could outlive its test, unless the test deletes ``call`` here."""
    # Without monkeypatch, which a test may undo before its end.
    for job in ERRANDS:
        vars(job)["call"] = lambda: None
    yield
    for job in ERRANDS:
        vars(job).pop("call", None)


@pytest.fixture
def host(db: None) -> User:
    """The student who books."""
    return UserFactory(name="Ana Host", email="ana@example.com")


@pytest.fixture
def student(db: None) -> User:
    """A student who joins."""
    return UserFactory(name="Bruno Student", email="bruno@example.com")


@pytest.fixture
def stranger(db: None) -> User:
    """Somebody who has nothing to do with it."""
    return UserFactory(name="Carla Stranger", email="carla@example.com")


@pytest.fixture
def teacher(db: None, google: GoogleStandin) -> User:
    """The administrator, with a calendar grant that the stand-in accepts."""
    google.add_person(email=TEACHER_EMAIL, name="Paula Profe")
    return UserFactory(
        name="Paula Profe",
        email=TEACHER_EMAIL,
        is_staff=True,
        is_superuser=True,
        provider_refresh_token=google.grant(TEACHER_EMAIL),
    )


@pytest.fixture
def sign_in() -> Callable[[User], Client]:
    """Give a client that is signed in as the person."""

    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def agenda(teacher: User) -> Iterator[None]:
    """Tuesdays from nine to one and from six to ten, on offer since January; today is Monday."""
    for start, end in ((time(9), time(13)), (time(18), time(22))):
        WeeklyHours.objects.create(weekday=1, start=start, end=end)
    for class_type, minutes, students, amount in [
        ("individual", 30, 1, 900_000),
        ("individual", 60, 1, 1_500_000),
        ("grupal", 60, 3, 2_400_000),
        ("grupal", 60, 5, 3_600_000),
    ]:
        Price.objects.create(
            class_type=class_type,
            minutes=minutes,
            students_up_to=students,
            amount=amount,
            valid_from=date(2026, 1, 1),
        )
    with time_machine.travel(NOW, tick=False):
        yield
