"""Faults, the record of calls, and what every stand-in has in common."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.standins import Fault, GoogleStandin
from tests.standins_tests.calls import CalendarCaller


def test_fault_status_takes_a_body_and_headers_of_its_own(calendar: CalendarCaller) -> None:
    fault = Fault.status(429, body="despacio", headers={"Retry-After": "7"}, done=True)
    calendar.google.fault("events.insert", fault)

    answer = calendar.insert()

    assert (answer.text, answer.headers["Retry-After"]) == ("despacio", "7")
    assert len(calendar.google.events()) == 1


@pytest.mark.parametrize(
    ("fault", "error", "stored"),
    [
        (Fault.drop(), "RemoteDisconnected", 0),
        (Fault.lost(), "RemoteDisconnected", 1),
        (Fault.reset(), "ConnectionResetError", 0),
        (Fault.half(), "IncompleteRead", 1),
    ],
    ids=lambda value: value.kind if isinstance(value, Fault) else None,
)
def test_fault_breaks_the_connection(
    calendar: CalendarCaller, fault: Fault, error: str, stored: int
) -> None:
    calendar.google.fault("events.insert", fault)

    with pytest.raises(requests.RequestException, match=error):
        calendar.insert()

    assert len(calendar.google.events()) == stored
    assert calendar.call("GET").status_code == 200


def test_reset_cuts_a_delayed_call_before_it_takes_effect(calendar: CalendarCaller) -> None:
    calendar.google.fault("events.insert", Fault.delay(30))

    with ThreadPoolExecutor() as pool:
        slow = pool.submit(calendar.insert)
        while not any(call.route == "events.insert" for call in calendar.google.requests):
            time.sleep(0.005)
        calendar.google.reset()
        with pytest.raises(requests.ConnectionError):
            slow.result(timeout=5)

    assert calendar.google.events() == []


def test_fault_refuses_an_unknown_route(google: GoogleStandin) -> None:
    with pytest.raises(ValueError, match=r"events\.inserted"):
        google.fault("events.inserted", Fault.drop())


def test_breakdown_lasts_until_it_is_healed(calendar: CalendarCaller) -> None:
    calendar.google.break_down(Fault.status(503), Fault.status(500))

    answers = [calendar.insert().status_code for _ in range(3)]
    calendar.google.heal()

    assert answers == [503, 500, 503]
    assert calendar.insert().status_code == 200
