"""The calendar is compared within minutes, by a push at once, and by manage.py reconcile."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from bookings.domain.calendar import repairing
from bookings.domain.calendar.repairing import compare_calendar, keep_push_channel
from bookings.models import VirtualClass
from tests.bookings.drifts import DRIFTS, dump, move, scheduled_classes
from tests.standins import Fault


@pytest.fixture
def scheduled(host, teacher, google):
    return scheduled_classes(1, booked_by=host)[0]


def calls(google, route):
    return [request.route for request in google.requests].count(route)


def test_nothing_new_costs_one_request(scheduled, google):
    google.add_event(summary="Dentista")
    before = len(google.requests)

    compare_calendar()

    assert len(google.requests) == before + 1


def test_a_grant_that_is_known_to_be_dead_is_not_tried(scheduled, google, teacher):
    teacher.provider_token_revoked_at = timezone.now()
    teacher.save()
    before = len(google.requests)

    assert (compare_calendar(), keep_push_channel()) == (0, 0)
    assert len(google.requests) == before


def test_a_calendar_that_nobody_connected_is_left_alone(db, google):
    assert (compare_calendar(), keep_push_channel()) == (0, 0)
    assert google.requests == []


def test_a_message_has_the_calendar_compared(scheduled, google, teacher, settings, monkeypatch):
    """From the hand in the calendar to the repaired event, by push alone."""
    settings.BASE_URL = "https://clases.example"
    assert keep_push_channel() == 1
    settings.BASE_URL = "http://testserver"
    monkeypatch.setattr(repairing, "job", Inline(compare_calendar))
    google.take_notices()
    move(google, scheduled)
    [message] = google.take_notices()

    answer = Client().post("/api/webhooks/calendar", headers=message)

    assert answer.status_code == 204
    [event] = google.live_events()
    assert event["start"]["dateTime"].startswith(
        timezone.localtime(scheduled.start_time).strftime("%Y-%m-%dT%H:%M:%S")
    )


class Inline:
    """An errand that is done at once, in the thread that calls."""

    def __init__(self, work):
        self.call = work


def run(*arguments):
    """Give the exit code and what was printed."""
    output = StringIO()
    try:
        call_command("reconcile", *arguments, stdout=output)
    except CommandError as error:
        return error.returncode, output.getvalue(), str(error)
    return 0, output.getvalue(), ""


def test_reconcile_of_a_calendar_that_agrees_ends_with_0(teacher, google):
    scheduled_classes(2)

    for arguments in (["--check"], []):
        code, output, _ = run(*arguments)
        assert (code, json.loads(output)) == (0, {"classes": 2, "events": 2, "drifts": []})


def test_reconcile_prints_five_drifts_with_3_and_mends_them_with_0(teacher, google):
    classes = scheduled_classes(5)
    for make, virtual_class in zip(DRIFTS.values(), classes, strict=True):
        make(google, virtual_class)
    rows, events = dump(), google.events()

    code, output, message = run("--check")

    found = {line["class"]: line for line in json.loads(output)["drifts"]}
    assert code == 3
    assert "5" in message
    assert [found[str(one.pk)]["drift"] for one in classes] == list(DRIFTS)
    assert {line["repaired"] for line in found.values()} == {False}
    assert (dump(), google.events()) == (rows, events)

    code, output, _ = run()

    assert code == 0
    assert [line["repaired"] for line in json.loads(output)["drifts"]] == [True] * 5
    assert run("--check")[0] == 0


def test_reconcile_without_the_calendar_ends_with_2(teacher, google):
    scheduled_classes(1)
    rows = dump()
    google.fault("events.list", *[Fault.status(403)] * 2)

    for arguments in (["--check"], []):
        code, output, message = run(*arguments)
        assert (code, output) == (2, "")
        assert message.startswith("Nothing was changed")

    assert dump() == rows


def test_reconcile_keeps_what_it_cannot_account_for(teacher, google):
    scheduled_classes(1)
    VirtualClass.objects.all().delete()

    code, output, _ = run()

    [line] = json.loads(output)["drifts"]
    assert (code, line["drift"], line["problem"]) == (3, "unknown", "needs_a_person")
    assert run("--remove-unknown")[0] == 0
    assert google.live_events() == []
