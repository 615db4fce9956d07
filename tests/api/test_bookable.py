"""GET /api/prices and GET /api/slots say what the booking page offers."""

from datetime import time, timedelta

import pytest

from bookings.domain.sales.holds import hold_slot
from bookings.models import BookingRules, ClassType, WeeklyHours
from tests.api.bodies import answer_of
from tests.factories import VirtualClassFactory
from tests.pages.moments import tuesday
from tests.pages.test_choosing import times_in
from tests.sales.offers import KEY, make_group_offer, make_trial
from tests.standins import Fault

PRICES, SLOTS = "/api/prices", "/api/slots"
HOUR = "type=individual&minutes=60"
NOT_OFFERED = {"error": "No ofrecemos clases de ese tipo y duración."}
USED = {"error": "Esa clase es una sola vez por persona, y ya la reservaste. Elegí otra."}

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("agenda")]


def price(kind, title, minutes, students, amount, class_type=None):
    return {
        "type": kind,
        "classType": class_type or kind,
        "title": title,
        "minutes": minutes,
        "students": students,
        "price": amount,
    }


PLAIN = [
    price("individual", "Individual", 30, 1, 900_000),
    price("individual", "Individual", 60, 1, 1_500_000),
    price("grupal", "Grupal", 60, 3, 2_400_000),
    price("grupal", "Grupal", 60, 5, 3_600_000),
]
TRIAL = price("prueba234567", "Clase de prueba", 30, 1, 0, "individual")


def get(client, address):
    return answer_of(client.get(address))


def times(client, query):
    status, body = get(client, f"{SLOTS}?{query}")
    assert status == 200, body
    return [f"{one['start'][5:16]} {one['end'][11:16]}" for one in body["slots"]]


def use(user, offer):
    start = tuesday("09:00", weeks=-1)
    VirtualClassFactory(booked_by=user, offer=offer, scheduled=True, start_time=start)


def test_the_prices_are_the_list_then_the_offers(anybody):
    make_trial()

    assert get(anybody, PRICES) == (200, {"prices": [*PLAIN, TRIAL]})


def test_an_offer_by_link_only_is_listed_by_its_key(anybody):
    make_group_offer(is_listed=False)
    rows = [
        price(KEY, "Preparación de examen", 60, students, amount, "grupal")
        for students, amount in ((3, 2_400_000), (6, 4_200_000))
    ]

    assert get(anybody, PRICES) == (200, {"prices": PLAIN})
    assert get(anybody, f"{PRICES}?type={KEY}") == (200, {"prices": rows})
    assert get(anybody, f"{PRICES}?type=grupal") == (200, {"prices": PLAIN[2:]})


def test_a_used_offer_is_for_other_people(anybody, signed_in, host):
    trial = make_trial()
    use(host, trial)

    assert get(signed_in, PRICES) == (200, {"prices": PLAIN})
    assert get(anybody, PRICES) == (200, {"prices": [*PLAIN, TRIAL]})
    for address in (f"{PRICES}?type={trial.key}", f"{SLOTS}?type={trial.key}&minutes=30"):
        assert get(signed_in, address) == (409, USED)
        assert get(anybody, address)[0] == 200


@pytest.mark.parametrize(
    "address",
    [
        f"{PRICES}?type=unknown",
        f"{SLOTS}?type=unknown&minutes=60",
        f"{SLOTS}?type=individual&minutes=75",
        f"{SLOTS}?type=grupal&minutes=30",
    ],
)
def test_a_class_that_is_not_on_sale_is_not_found(anybody, address):
    assert get(anybody, address) == (404, NOT_OFFERED)


def test_the_slots_are_the_free_times_of_the_booking_page(anybody):
    VirtualClassFactory(scheduled=True, start_time=tuesday("10:30"))
    page = anybody.get("/inicio/reservar?tipo=individual&min=60&dia=2026-11-24").content.decode()

    found = times(anybody, f"{HOUR}&from=2026-11-24&to=2026-11-24")

    assert found[:2] == ["11-24T09:00 10:00", "11-24T12:00 13:00"]
    assert [one[6:11] for one in found] == times_in(page)


def test_both_days_are_included(anybody):
    of_two_weeks = times(anybody, f"{HOUR}&from=2026-11-01&to=2026-12-01")

    assert {one[:5] for one in of_two_weeks} == {"11-24", "12-01"}
    assert times(anybody, f"{HOUR}&from=2026-11-25&to=2026-11-30") == []
    assert times(anybody, HOUR)[: len(of_two_weeks)] == of_two_weeks


@pytest.mark.parametrize(
    ("opening", "start", "free"),
    [
        ((time(0), time(1)), tuesday("00:00") - timedelta(minutes=30), ["11-24T00:30 01:00"]),
        ((time(23), time(0)), tuesday("00:00") + timedelta(days=1), ["11-24T23:00 23:30"]),
    ],
    ids=["a class of the day before", "a class of the day after"],
)
def test_a_pause_reaches_over_midnight(anybody, opening, start, free):
    BookingRules.objects.create(buffer_after_minutes=15)
    WeeklyHours.objects.all().delete()
    WeeklyHours.objects.create(weekday=1, start=opening[0], end=opening[1])
    end = start + timedelta(minutes=30)
    VirtualClassFactory(scheduled=True, start_time=start, end_time=end)

    found = times(anybody, "type=individual&minutes=30&from=2026-11-24&to=2026-11-24")

    assert found == free


def test_a_time_that_is_held_is_free_for_its_person_only(anybody, signed_in, host):
    hold_slot(user=host, start=tuesday("09:00"), minutes=60, class_type=ClassType.INDIVIDUAL)

    assert "11-24T09:00 10:00" in times(signed_in, HOUR)
    assert "11-24T09:00 10:00" not in times(anybody, HOUR)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("minutes=60", "type"),
        ("type=individual", "minutes"),
        ("type=individual&minutes=one", "minutes"),
        (f"{HOUR}&from=20301-01-01", "from"),
        (f"{HOUR}&from=20301231", "from"),
        (f"{HOUR}&from=9999-12-31", "from"),
        (f"{HOUR}&from=2026-11-24&to=2026-11-23", "to"),
        (f"{HOUR}&from=2026-11-24&to=2027-02-25", "to"),
    ],
)
def test_a_query_without_sense_is_refused(anybody, query, field):
    status, body = get(anybody, f"{SLOTS}?{query}")

    assert status == 400
    assert body["error"].startswith(f"{field}: ")


def test_the_longest_span(anybody):
    assert get(anybody, f"{SLOTS}?{HOUR}&from=2026-11-24&to=2027-02-24")[0] == 200


def test_a_calendar_that_fails_is_told_as_by_its_own_address(anybody, google):
    google.fault("events.list", *[Fault.status(503)] * 8)

    assert get(anybody, f"{SLOTS}?{HOUR}") == (500, {"error": "Failed to fetch calendar events"})


@pytest.mark.parametrize("address", [PRICES, f"{SLOTS}?{HOUR}"])
def test_the_answer_is_kept_by_no_cache(anybody, address):
    assert anybody.get(address)["Cache-Control"] == "private, no-store"


def test_a_class_can_move_to_the_times_of_its_page(signed_in, host):
    start = tuesday("10:00", weeks=1)
    mine = VirtualClassFactory(scheduled=True, booked_by=host, start_time=start)
    page = signed_in.get(f"/inicio/clases/{mine.pk}/horario?dia=2026-12-01").content.decode()

    address = f"/api/classes/{mine.pk}/slots?from=2026-12-01&to=2026-12-01"
    status, body = get(signed_in, address)

    assert status == 200
    assert [one["start"][11:16] for one in body["slots"]] == times_in(page)
    assert "10:30" in times_in(page)  # a slot that the class itself takes


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"booked_by": None}, (404, None)),
        ({"scheduled": False}, (409, "class_pending")),
        ({"ended": True}, (409, "class_ended")),
    ],
    ids=["a stranger's", "pending", "over"],
)
def test_a_class_that_cannot_move_has_no_slots(signed_in, host, stranger, changes, refused):
    whose = {"booked_by": stranger if "booked_by" in changes else host}
    other = VirtualClassFactory(**{"scheduled": True} | changes | whose)

    status, body = get(signed_in, f"/api/classes/{other.pk}/slots")

    assert (status, body.get("code")) == refused
