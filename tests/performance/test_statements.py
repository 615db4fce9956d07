"""What each request costs the database: counted here, so that no change adds a statement unseen.

One statement reads session and person (DESIGN: revoking a session works at once); transactions'
own (BEGIN, COMMIT, savepoints) are not counted.
"""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.desk.own_page import load_seller
from tests.factories import UserFactory, VirtualClassFactory
from tests.performance.crowd import add_scheduled_classes
from tests.statements import statements

pytestmark = pytest.mark.django_db

SESSION = 'SELECT "accounts_session"'
SELECT_CLASS = 'SELECT "bookings_virtualclass"'
INSERT_PART = 'INSERT INTO "bookings_useractivity"'
INSERT_LOG = 'INSERT INTO "bookings_classlog"'
INSERT_NOTICES = 'INSERT INTO "bookings_notice"'
UPDATE_CLASS = 'UPDATE "bookings_virtualclass"'
EXISTS = 'SELECT %s AS "a"'
SELECT_PARTS = 'SELECT "bookings_useractivity"'
CODE = "ABCD2345"
PROFILE = {"location": "Rosario", "level": "basico", "phone": "341", "newsletter": "si"}


def cost(client, method, path, body=None, status=200):
    """Send a request; give the beginnings of its statements, up to the first table."""
    data = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    with statements() as seen:
        answer = getattr(client, method)(path, **data)
    assert answer.status_code == status, answer.content
    return [kind_of(sql) for sql in seen]


def kind_of(sql):
    """Shorten a statement to what it does to which table."""
    verb = sql.split('"', 1)[0].replace("INSERT OR IGNORE", "INSERT")  # SQLite's word
    verb = verb.removeprefix("(")  # PostgreSQL's, around the parts of a union
    return f'{verb}"{sql.split(chr(34))[1]}"'


@pytest.fixture(autouse=True)
def seller():
    """Kept for a minute, for the footer of each page."""
    load_seller()


@pytest.fixture
def guest(sign_in, student):
    return sign_in(student)


@pytest.fixture
def virtual_class(host):
    return VirtualClassFactory(scheduled=True, booked_by=host, access_code=CODE)


# --- Without a person -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/auth/session", "/api/auth/providers", "/inicio"])
def test_stranger_costs_nothing(client, path):
    assert cost(client, "get", path) == []


def test_list_of_events_costs_none_while_it_is_kept(client, teacher):
    client.get("/api/calendar")

    assert cost(client, "get", "/api/calendar") == []


@pytest.mark.usefixtures("agenda")
def test_prices_cost_one_and_free_times_the_agenda_as_well(client):
    prices, slots = "/api/prices", "/api/slots?type=individual&minutes=60"
    client.get(slots)  # the calendar's list is kept now
    agenda = ["bookingrules", "weeklyhours", "specialhours", "closure", "virtualclass", "hold"]

    assert cost(client, "get", prices) == ['SELECT "bookings_price"']
    assert cost(client, "get", slots) == [
        *(f'SELECT "bookings_{table}"' for table in ["price", *agenda]),
    ]


def test_class_that_is_scheduled_already_costs_one(client, virtual_class):
    body = {"preferenceId": virtual_class.preference_id}

    assert cost(client, "post", "/api/calendar", body) == [SELECT_CLASS]


# --- With a person --------------------------------------------------------------------------------


def test_session_and_profile_cost_one(guest):
    assert cost(guest, "get", "/api/auth/session") == [SESSION]
    assert cost(guest, "get", "/api/user-data") == [SESSION]


def test_storing_the_profile_costs_one_more(guest):
    assert cost(guest, "post", "/api/user-data", PROFILE) == [SESSION, 'UPDATE "accounts_user"']


def test_booking_costs_its_rows_and_its_line(guest):
    start = timezone.now() + timedelta(days=1)
    body = {
        "start": start.isoformat(),
        "end": (start + timedelta(hours=1)).isoformat(),
        "isGroupClass": True,
        "studentsCount": 4,
        "price": 1_500_000,
        "preferenceId": "preference",
    }

    expected = [
        SESSION,
        'INSERT INTO "bookings_virtualclass"',
        'INSERT INTO "bookings_purchase"',
        INSERT_LOG,
    ]
    assert cost(guest, "post", "/api/booking", body) == expected


# The lock, and whether all money went back.
LOCK = [SESSION, SELECT_CLASS, EXISTS]
# Places that others hold, and the person's own.
LOOK = [*LOCK, 'SELECT COUNT(*) AS "__count"', EXISTS]
# The line tells webhooks what the class cost.
LINE = ['SELECT "bookings_purchase"', INSERT_LOG]
UPDATE_LINE = 'UPDATE "bookings_waitinglistentry"'
WRITES = [INSERT_PART, SELECT_PARTS, UPDATE_CLASS, *LINE, INSERT_NOTICES, UPDATE_LINE]
JOIN = [*LOOK, *WRITES]


def test_joining_costs_a_lock_three_looks_and_five_writes(guest, virtual_class):
    assert cost(guest, "post", "/api/access-code", CODE) == JOIN


def test_joining_looks_for_an_offer_when_one_place_is_left(guest, host):
    VirtualClassFactory(scheduled=True, booked_by=host, access_code=CODE, max_participants=2)

    looks = [*LOOK, EXISTS, *WRITES]
    assert cost(guest, "post", "/api/access-code", CODE) == looks


def test_refused_join_costs_a_lock_and_its_looks(guest, virtual_class, host, sign_in, student):
    def refused(client, status):
        return cost(client, "post", "/api/access-code", CODE, status)

    assert refused(sign_in(host), 403) == LOCK
    guest.post("/api/access-code", json.dumps(CODE), content_type="application/json")
    assert refused(guest, 409) == LOOK
    virtual_class.refresh_from_db()
    virtual_class.max_participants = virtual_class.current_participants
    virtual_class.save()
    assert refused(sign_in(UserFactory()), 409) == LOCK
    assert cost(guest, "post", "/api/access-code", "ZZZZ9999", 404) == [SESSION, SELECT_CLASS]
    assert cost(guest, "post", "/api/access-code", "short", 404) == [SESSION]


# --- Lists ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "expected"), [("/inicio", 11), ("/inicio/clases", 9)])
def test_list_costs_the_same_for_a_few_and_for_a_thousand(guest, student, path, expected):
    add_scheduled_classes([student], 10)
    with_few = cost(guest, "get", path)
    add_scheduled_classes([student], 1_000)

    assert (len(with_few), len(cost(guest, "get", path))) == (expected, expected)
