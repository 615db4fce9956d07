"""The texts of mails after the confirmation."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from icalendar import Calendar

from bookings.domain.history import record_event
from bookings.models import (
    ClassEvent,
    Notice,
    NoticeKind,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices.rendering import render_mail
from tests.factories import VirtualClassFactory

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
MONDAY, TUESDAY, FRIDAY = (datetime(2026, 11, day, 18, 30, tzinfo=ZONE) for day in (23, 24, 27))
LINK = "https://meet.google.com/abc-defg-hij"


@pytest.fixture
def virtual_class(host):
    """Ana's class, moved to Friday."""
    return VirtualClassFactory(
        scheduled=True, booked_by=host, start_time=FRIDAY, access_code="ABCD2345", ics_sequence=2
    )


def write(kind, user, virtual_class=None, occasion=""):
    """Return subject and text of a mail, and its calendar."""
    notice = Notice(kind=kind, user=user, virtual_class=virtual_class, occasion=occasion)
    letter = render_mail(notice)
    entries = [part.content for part in letter.alternatives if "calendar" in part.mimetype]
    return f"{letter.subject}\n{letter.body}", Calendar.from_ical(entries[0]) if entries else None


def move(virtual_class, start, end):
    details = {"from": start.isoformat(), "to": end.isoformat()}
    record_event(virtual_class, ClassEvent.RESCHEDULED, details=details)


def test_a_move_says_the_old_time_and_the_new_one(virtual_class, student):
    move(virtual_class, TUESDAY, FRIDAY)

    text, calendar = write(NoticeKind.RESCHEDULED, student, virtual_class)

    [event] = calendar.events
    assert "Antes: martes 24 de noviembre, 18:30\n" in text
    assert "Ahora: viernes 27 de noviembre, de 18:30 a 19:30 (hora de Argentina)\n" in text
    assert (calendar["METHOD"], event["SEQUENCE"]) == ("REQUEST", 2)
    assert event["DTSTART"].dt == FRIDAY


@pytest.mark.parametrize(
    ("is_told", "earlier"), [(False, "lunes 23"), (True, "martes 24")], ids=["untold", "told"]
)
def test_after_two_moves_the_old_time_is_the_one_the_reader_knows(
    virtual_class, student, is_told, earlier
):
    move(virtual_class, MONDAY, TUESDAY)
    told = {"sent_at": timezone.now(), "next_attempt_at": None}
    Notice.objects.create(
        kind=NoticeKind.RESCHEDULED,
        user=student,
        virtual_class=virtual_class,
        occasion="1",
        **(told if is_told else {}),
    )
    move(virtual_class, TUESDAY, FRIDAY)

    text, _ = write(NoticeKind.RESCHEDULED, student, virtual_class)

    assert f"Antes: {earlier} de noviembre, 18:30\n" in text


def test_a_class_that_moved_away_and_back_has_no_old_time(virtual_class, student):
    move(virtual_class, FRIDAY, TUESDAY)
    move(virtual_class, TUESDAY, FRIDAY)

    text, _ = write(NoticeKind.RESCHEDULED, student, virtual_class)

    assert "Antes" not in text


def test_leaving_strikes_the_class_out_of_one_calendar(virtual_class, student):
    text, calendar = write(NoticeKind.LEFT, student, virtual_class)

    [event] = calendar.events
    assert calendar["METHOD"] == "CANCEL"
    assert event["ATTENDEE"] == f"mailto:{student.email}"
    assert "Dejaste tu lugar en la clase de Ana." in text
    assert LINK not in text


@pytest.mark.parametrize("kind", [NoticeKind.REMINDER_DAY, NoticeKind.REMINDER_HOUR])
def test_a_reminder_has_the_link_and_for_the_host_the_code(virtual_class, host, student, kind):
    to_host, _ = write(kind, host, virtual_class)
    to_guest, calendar = write(kind, student, virtual_class)

    assert LINK in to_host
    assert LINK in to_guest
    assert "Código de acceso: ABCD2345\n" in to_host
    assert "ABCD2345" not in to_guest
    assert calendar is None


def test_an_offer_says_until_when_and_neither_link_nor_code(virtual_class, student):
    WaitingListEntry.objects.create(
        virtual_class=virtual_class,
        user=student,
        state=WaitingState.OFFERED,
        offered_at=MONDAY,
        offer_expires_at=MONDAY + timedelta(hours=2),
    )

    text, calendar = write(NoticeKind.PLACE_OFFERED, student, virtual_class)

    assert "Te lo guardamos hasta: lunes 23 de noviembre, 20:30\n" in text
    offer = WaitingListEntry.objects.get()
    assert f"Tomá tu lugar: http://testserver/inicio/espera/{offer.pk}\n" in text
    assert [secret for secret in (LINK, "ABCD2345") if secret in text] == []
    assert calendar is None


def test_the_teacher_reads_how_the_calendar_differs(virtual_class, teacher):
    text, _ = write(NoticeKind.CALENDAR_CHANGED, teacher, virtual_class, "deleted 7")

    assert "Qué pasó: El evento fue borrado del calendario. La clase sigue en pie" in text
    assert f"http://testserver/admin/clase/{virtual_class.pk}/" in text


def test_the_teacher_reads_how_to_reconnect_and_who_waits(teacher):
    now = timezone.now()
    VirtualClassFactory.create_batch(2, scheduling_requested_at=now)
    over = now - timedelta(days=1)  # nobody waits for it any more
    VirtualClassFactory(scheduling_requested_at=over, start_time=over)

    text, _ = write(NoticeKind.GRANT_REVOKED, teacher)

    assert text.startswith("Tu calendario está desconectado\n")
    assert f"Qué hacer: Entrá al panel con {teacher.email}, tocá «Reconectar»" in text
    assert "Clases que esperan: 2\n" in text
    assert "Reconectá tu calendario: http://testserver/admin/calendario/" in text


def test_a_move_tells_who_waits_their_turn_and_no_link(virtual_class, student):
    entry = WaitingListEntry.objects.create(virtual_class=virtual_class, user=student)
    move(virtual_class, TUESDAY, FRIDAY)

    text, calendar = write(NoticeKind.WAITING_CLASS_MOVED, student, virtual_class)

    assert "Cambió de horario la clase que esperás" in text
    assert "Antes: martes 24 de noviembre, 18:30\n" in text
    assert f"/inicio/espera/{entry.pk}" in text
    assert not [secret for secret in (virtual_class.html_link, "ABCD2345") if secret in text]
    assert calendar is None
