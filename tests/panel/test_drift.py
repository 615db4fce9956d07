"""What the calendar says differently, in the panel: seen, filtered and repaired."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import compare_calendar, record_drift
from bookings.models import ClassEvent, ClassStatus, VirtualClass
from tests.bookings.drifts import event_of, move, scheduled_classes, times_of
from tests.panel.steps import carry_out_several, confirm

CHANGELIST = "admin:bookings_virtualclass_changelist"


def page_of(virtual_class):
    return reverse("admin:class_sheet", args=[virtual_class.pk])


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


@pytest.fixture
def classes(host, teacher, google):
    """Two classes, the first of which somebody moved in the calendar."""
    two = scheduled_classes(2, booked_by=host)
    move(google, two[0])
    [finding] = compare_all().findings
    record_drift(finding)
    return VirtualClass.objects.order_by("start_time")


def test_a_class_says_that_the_calendar_differs(panel, classes, google):
    moved, other = classes

    page = text_of(panel.get(page_of(moved)))

    assert "El calendario no dice lo mismo que la clase" in page
    start, _ = times_of(event_of(google, moved))
    assert "El evento tiene otro horario (" in page
    assert f"{timezone.localtime(start):%H:%M})" in page
    assert "no dice lo mismo" not in text_of(panel.get(page_of(other)))

    VirtualClass.objects.filter(pk=moved.pk).update(calendar_drift="deleted")  # without a line

    assert "El evento fue borrado." in text_of(panel.get(page_of(moved)))


def test_a_class_says_that_its_event_repeats(panel, classes, google):
    other = classes[1]
    google.edit_event(other.provider_event_id, recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"])
    for finding in compare_all().findings:
        record_drift(finding)

    page = text_of(panel.get(page_of(other)))

    assert "El evento se repite." in page
    assert "El evento tiene otro horario" not in page


def test_the_list_is_filtered_by_it(panel, classes):
    moved, other = classes

    def shown(value):
        page = panel.get(reverse(CHANGELIST), {"calendario": value}).content.decode()
        return [str(one.pk) in page for one in (moved, other)]

    assert shown("") == [True, True]
    assert shown("distinto") == [True, False]
    assert text_of(panel.get(reverse(CHANGELIST))).count("Calendario distinto") == 1
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)
    assert shown("distinto") == [False, False]
    assert "Calendario distinto" not in text_of(panel.get(reverse(CHANGELIST)))
    assert "no dice lo mismo" not in text_of(panel.get(page_of(moved)))


def test_the_button_repairs_the_event(panel, classes, google, teacher):
    moved = classes[0]

    page = confirm(panel, moved, "reparar")

    assert "el calendario dice lo mismo" in text_of(page)
    assert compare_all().findings == []
    moved.refresh_from_db()
    assert moved.calendar_drift == ""
    assert moved.log.get(event=ClassEvent.EVENT_REPAIRED).actor == teacher
    assert "no dice lo mismo" not in text_of(page)


def test_the_action_keeps_what_a_restored_backup_does_not_know(panel, classes, google):
    VirtualClass.objects.filter(pk=classes[1].pk).update(
        status=ClassStatus.PENDING, scheduling_requested_at=None
    )

    carry_out_several(panel, [classes[1]], "reparar")

    assert len(google.live_events()) == 2


def test_the_calendar_s_page_says_what_differs(panel, classes):
    page = text_of(panel.get(reverse("admin:calendar")))
    compare_calendar()
    later = text_of(panel.get(reverse("admin:calendar")))

    assert "1 clase no coincide con el calendario." in page
    assert "Lo comparamos entero el" not in page
    assert "Dice lo mismo que tus clases. Lo comparamos entero el" in later
    assert "los buscamos cada cinco minutos" in later
