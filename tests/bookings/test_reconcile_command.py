"""manage.py reconcile: JSON, and an exit code for each way it can end."""

import json
from io import StringIO

from django.core.management import CommandError, call_command

from bookings.models import VirtualClass
from tests.bookings.drifts import DRIFTS, dump, scheduled_classes
from tests.standins import Fault


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
