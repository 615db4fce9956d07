"""Many bookings at once with one payment preference: one class, and a refusal for every other."""

from collections import Counter
from functools import partial

import pytest

from bookings.models import VirtualClass
from tests.api.bodies import answer_of, booking_body, post
from tests.concurrency.conftest import without_constraint
from tests.concurrency.racing import race
from tests.factories import UserFactory

BOOKED = (200, {"success": True, "status": 200})
USED = (
    400,
    {"success": False, "status": 400, "error": "Esa preferencia de pago ya tiene una reserva."},
)

pytestmark = pytest.mark.concurrency


@pytest.fixture
def people(client_of):
    users = [UserFactory() for _ in range(2)]
    return [client_of(users[number % 2]) for number in range(8)]


def book(client, body):
    return answer_of(post(client, "/api/booking", body))


def test_one_preference_books_one_class(people):
    body = booking_body()

    answers = race(*[partial(book, client, body) for client in people])

    assert Counter(map(str, answers)) == {str(BOOKED): 1, str(USED): 7}
    assert VirtualClass.objects.count() == 1


def test_one_preference_books_one_class_only_by_its_constraint(people):
    body = booking_body()

    with without_constraint(VirtualClass, "unique_preference_id"):
        race(*[partial(book, client, body) for client in people[:4]])

        assert VirtualClass.objects.count() == 4
