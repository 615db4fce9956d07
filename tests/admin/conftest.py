"""The teacher at her panel, on a Monday at noon."""

from collections.abc import Callable, Iterator

import pytest
import time_machine
from django.test import Client

from accounts.models import User
from tests.admin.moments import NOW
from tests.bookings.webhooks.conftest import (  # noqa: F401
    endpoint,
    new_receiver,
    receiver,
    sealed_endpoint,
)


@pytest.fixture
def noon() -> Iterator[None]:
    """Stop the clock on Monday, 16 November 2026, at noon."""
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def panel(teacher: User, sign_in: Callable[[User], Client]) -> Client:
    """The teacher's client."""
    return sign_in(teacher)
