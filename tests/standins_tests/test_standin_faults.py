"""Faults, the record of calls, and what every stand-in has in common."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.standins import Fault, GoogleStandin
from tests.standins_tests.calls import CalendarCaller, problem, refresh


def test_fault_status_answers_in_the_providers_shape_once(calendar: CalendarCaller) -> None:
    calendar.google.fault("events.insert", Fault.status(503), Fault.status(403, "quotaExceeded"))

    answers = [calendar.insert() for _ in range(3)]

    assert [problem(answer) for answer in answers[:2]] == [
        (503, "backendError"),
        (403, "quotaExceeded"),
    ]
    assert answers[2].status_code == 200
    assert len(calendar.google.events()) == 1


def test_fault_status_takes_a_body_and_headers_of_its_own(calendar: CalendarCaller) -> None:
    fault = Fault.status(429, body="despacio", headers={"Retry-After": "7"}, done=True)
    calendar.google.fault("events.insert", fault)

    answer = calendar.insert()

    assert (answer.text, answer.headers["Retry-After"]) == ("despacio", "7")
    assert len(calendar.google.events()) == 1


def test_fault_at_the_token_endpoint_has_the_shape_of_oauth(google: GoogleStandin) -> None:
    refresh_token = google.grant("ana@example.com")
    google.fault("token", Fault.status(400), Fault.status(503))

    answers = [refresh(google, refresh_token) for _ in range(2)]

    assert [answer.json()["error"] for answer in answers] == ["invalid_grant", "internal_failure"]


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


@pytest.mark.parametrize(
    ("fault", "content"), [(Fault.garbage(), "text/html"), (Fault.empty(), "application/json")]
)
def test_fault_answers_nonsense_without_effect(
    calendar: CalendarCaller, fault: Fault, content: str
) -> None:
    calendar.google.fault("events.insert", fault)

    answer = calendar.insert()

    assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (200, content)
    assert calendar.google.events() == []


def test_fault_delay_holds_up_nobody_else(calendar: CalendarCaller) -> None:
    calendar.google.fault("events.insert", Fault.delay(0.3))
    began = time.monotonic()

    with ThreadPoolExecutor() as pool:
        slow = pool.submit(calendar.insert)
        time.sleep(0.05)
        calendar.google.events()
        others_waited = time.monotonic() - began
        assert slow.result().status_code == 200

    assert others_waited < 0.25
    assert time.monotonic() - began >= 0.3


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


def test_requests_are_recorded_with_their_parts(calendar: CalendarCaller) -> None:
    calendar.call("PATCH", "/some%20id", {"summary": "Otra"}, sendUpdates="none")

    call = calendar.google.requests[-1]
    assert (call.route, call.method, call.path, call.query, call.json) == (
        "events.patch",
        "PATCH",
        "/calendar/v3/calendars/primary/events/some%20id",
        {"sendUpdates": "none"},
        {"summary": "Otra"},
    )
    assert call.headers["authorization"].startswith("Bearer ya29.")


def test_requests_of_an_unknown_path_are_recorded_and_404(google: GoogleStandin) -> None:
    answer = requests.get(f"{google.url}/nowhere", timeout=5)

    assert problem(answer) == (404, "notFound")
    assert [call.route for call in google.requests] == [""]


def test_standin_comes_back_at_the_same_address_with_its_state(calendar: CalendarCaller) -> None:
    calendar.insert()
    calendar.google.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(calendar.google.url.rpartition(":")[2])))

    calendar.google.start()

    assert len(calendar.call("GET").json()["items"]) == 1


def test_standin_handles_racing_calls_one_after_another(calendar: CalendarCaller) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: calendar.insert(id="once1"), range(16)))

    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 15


def test_breakdown_lasts_until_it_is_healed(calendar: CalendarCaller) -> None:
    calendar.google.break_down(Fault.status(503), Fault.status(500))

    answers = [calendar.insert().status_code for _ in range(3)]
    calendar.google.heal()

    assert answers == [503, 500, 503]
    assert calendar.insert().status_code == 200
