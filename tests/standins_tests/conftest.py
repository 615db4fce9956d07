"""Stand-ins of their own for these tests, and short ways to call them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from tests.standins import GitHubStandin, GoogleStandin, MercadoPagoStandin
from tests.standins_tests.calls import TEACHER, CalendarCaller, refresh
from tests.standins_tests.shop import PaymentCaller, Shop


@pytest.fixture
def google() -> Iterator[GoogleStandin]:
    with GoogleStandin() as standin:
        yield standin


@pytest.fixture
def github() -> Iterator[GitHubStandin]:
    with GitHubStandin() as standin:
        yield standin


@pytest.fixture
def mercadopago() -> Iterator[MercadoPagoStandin]:
    with MercadoPagoStandin() as standin:
        yield standin


@pytest.fixture
def shop(mercadopago: MercadoPagoStandin) -> Iterator[Shop]:
    """The shop, to which Mercado Pago sends its notices."""
    with Shop() as standin:
        mercadopago.notification_url = standin.notices_url
        yield standin


@pytest.fixture
def seller(mercadopago: MercadoPagoStandin) -> PaymentCaller:
    """Calls Mercado Pago's API with the account's access token."""
    return PaymentCaller(mercadopago)


@pytest.fixture
def connect(google: GoogleStandin) -> Iterator[Callable[..., CalendarCaller]]:
    """Give a caller that holds an access token of a person who has granted the calendar."""
    sessions: list[requests.Session] = []

    def connected(email: str = TEACHER, **grant: Any) -> CalendarCaller:
        answer = refresh(google, google.grant(email, **grant))
        sessions.append(requests.Session())
        sessions[-1].headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
        return CalendarCaller(google, sessions[-1])

    yield connected
    for session in sessions:
        session.close()


@pytest.fixture
def calendar(connect: Callable[..., CalendarCaller]) -> CalendarCaller:
    """The teacher's calendar."""
    return connect()
