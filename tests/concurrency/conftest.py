"""What the races share: committed rows, a provider that hurries, and ways to take a lock off.

``ROUNDS=200 pytest -n auto tests/concurrency`` runs each race so often.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import time
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models import Model
from django.test import Client

from bookings.models import Offer, WeeklyHours
from tests.bookings.webhooks.conftest import endpoint, new_receiver, receiver  # noqa: F401
from tests.sales.offers import make_trial

ROUNDS = int(os.environ.get("ROUNDS", "1"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if ROUNDS > 1:
        metafunc.fixturenames.append("_round")
        metafunc.parametrize("_round", range(ROUNDS))


@pytest.fixture(autouse=True)
def _committed(transactional_db: None) -> None:
    """Let every thread see the same rows."""


@pytest.fixture
def without_locks(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Take off what makes checking and writing one step: the control of a race.

    On PostgreSQL that is the row's lock; on SQLite, which has none, that a transaction takes the
    write lock when it begins.
    """

    def take_off() -> None:
        monkeypatch.setattr(type(connection.features), "has_select_for_update", False)
        if connection.vendor == "sqlite":
            options = connections.settings["default"]["OPTIONS"]
            monkeypatch.setitem(options, "transaction_mode", "DEFERRED")

    return take_off


@pytest.fixture
def trial(teacher: Any, google: Any) -> Offer:
    """A trial class that can be booked on each day."""
    for weekday in range(7):
        WeeklyHours.objects.create(weekday=weekday, start=time(9), end=time(20))
    return make_trial()


@pytest.fixture
def make_client() -> Callable[[], Client]:
    handler = Client().handler
    handler.load_middleware()

    def make() -> Client:
        client = Client(raise_request_exception=False)
        client.handler = handler
        return client

    return make


@pytest.fixture
def client_of(make_client: Callable[[], Client]) -> Callable[[Any], Client]:
    def make(user: Any) -> Client:
        client = make_client()
        client.force_login(user)
        return client

    return make


@contextmanager
def without_constraint(model: type[Model], name: str) -> Iterator[None]:
    """Drop a constraint; the model's rows go when it comes back."""
    constraints = model._meta.constraints
    [constraint] = [one for one in constraints if one.name == name]
    # SQLite makes the table anew from what the model says at that moment.
    constraints.remove(constraint)
    with connection.schema_editor() as editor:
        editor.remove_constraint(model, constraint)
    try:
        yield
    finally:
        model.objects.all().delete()
        constraints.append(constraint)
        with connection.schema_editor() as editor:
            editor.add_constraint(model, constraint)
