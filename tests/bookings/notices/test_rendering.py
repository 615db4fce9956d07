"""notices/rendering.py: text, HTML, headers and calendar."""

from datetime import timedelta

import pytest
from django.utils import timezone
from icalendar import Calendar

from accounts.models import Language
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import wait_for_place
from bookings.models import Notice, NoticeKind, VirtualClass
from bookings.notices.due import make_due_again, record_due
from tests.factories import TeacherPageFactory


def parts(letter):
    """Return the mail's alternatives by type."""
    return {kind.partition(";")[0]: content for content, kind in letter.alternatives}


def everything(letter):
    """Return all texts of a mail."""
    return "\n".join([letter.subject, letter.body, *parts(letter).values()])


def test_confirmation_tells_the_host_how_to_enter_and_invite(scheduled, host, deliver_to):
    letter = deliver_to(host)

    join = f"http://testserver/inicio/unirse/{scheduled.access_code}"
    assert letter.subject.startswith("Tu clase está confirmada: ")
    for text in (letter.body, parts(letter)["text/html"]):
        assert scheduled.html_link in text
        assert scheduled.access_code in text
        assert join in text
        assert f"http://testserver/inicio/clases/{scheduled.pk}" in text


def test_confirmation_of_a_class_for_one_invites_nobody(pending, host, deliver_to):
    pending.max_participants = 0
    pending.save()
    scheduled = schedule_class(preference_id=pending.preference_id)

    letter = everything(deliver_to(host))
    assert [said for said in ("/inicio/unirse/", scheduled.access_code) if said in letter] == []


def test_guest_gets_the_link_and_never_the_code(joined, student, deliver_to):
    letter = deliver_to(student)

    assert letter.subject.startswith("Ya tenés tu lugar en la clase: ")
    assert "en la clase de Ana." in letter.body
    assert joined.html_link in letter.body
    assert joined.access_code not in everything(letter)


def test_cancellation_has_neither_link_nor_code(joined, host, teacher, deliver_to):
    cancel_class(class_id=joined.pk, actor=teacher, reason="A secret of the teacher's")

    letter = deliver_to(host)

    text = everything(letter)
    assert letter.subject.startswith("Se canceló la clase: ")
    assert [s for s in (joined.html_link, joined.access_code, "A secret") if s in text] == []


def test_mail_is_from_the_site_and_answers_reach_the_teacher(scheduled, host, deliver_to):
    message = deliver_to(host).message()

    assert message["From"] == '"Clases" <teacher@example.com>'
    assert message["Reply-To"] == "teacher@example.com"
    assert message["Auto-Submitted"] == "auto-generated"


@pytest.mark.parametrize(
    ("name", "sender"),
    [
        ("Paula Ferreyra", "Paula Ferreyra <teacher@example.com>"),
        ('Núñez, "Pau"', "=?utf-8?b?TsO6w7FleiwgIlBhdSI=?= <teacher@example.com>"),
        ("Paula\r\nBcc: evil@example.com", '"Paula Bcc: evil@example.com" <teacher@example.com>'),
        ("Paula <evil@example.com>", '"Paula <evil@example.com>" <teacher@example.com>'),
        (" \u2028\u202e ", '"Clases" <teacher@example.com>'),
    ],
    ids=["name", "other signs", "two lines", "address", "nothing printable"],
)
def test_a_mail_to_people_is_from_the_teacher(scheduled, host, deliver_to, name, sender):
    TeacherPageFactory(name=name)

    message = deliver_to(host).message()

    assert message["From"] == sender
    assert message["Bcc"] is None


def test_a_mail_to_the_teacher_is_from_the_site(scheduled, teacher, deliver_to):
    TeacherPageFactory(name="Paula Ferreyra")
    record_due(NoticeKind.CALENDAR_CHANGED, scheduled, [teacher.pk], "moved 1")

    assert deliver_to(teacher).message()["From"] == '"Clases" <teacher@example.com>'


def test_mail_brings_the_class_for_the_calendar_inline_and_as_a_file(scheduled, host, deliver_to):
    letter = deliver_to(host)

    kinds = [part.get_content_type() for part in letter.message().walk()]
    entry = next(p for p in letter.message().walk() if p.get_content_type() == "text/calendar")
    [event] = Calendar.from_ical(letter.attachments[0].content).events
    assert kinds == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/html",
        "text/calendar",
        "application/ics",
    ]
    assert entry.get_param("method") == "REQUEST"
    assert entry.get_content_charset() == "utf-8"
    assert event["UID"] == f"{scheduled.provider_event_id}@google.com"
    assert letter.attachments[0].filename == "clase.ics"


def test_cancellation_follows_the_confirmation_in_the_calendar(
    scheduled, host, teacher, deliver_to
):
    [before] = Calendar.from_ical(parts(deliver_to(host))["text/calendar"]).events
    cancel_class(class_id=scheduled.pk, actor=teacher)

    calendar = Calendar.from_ical(parts(deliver_to(host))["text/calendar"])

    [after] = calendar.events
    assert calendar["METHOD"] == "CANCEL"
    assert after["UID"] == before["UID"]
    assert (before["SEQUENCE"], after["SEQUENCE"]) == (0, 1)


def test_cancellation_of_a_class_never_scheduled_has_no_calendar_entry(
    pending, host, teacher, deliver_to
):
    cancel_class(class_id=pending.pk, actor=teacher)

    letter = deliver_to(host)

    assert (list(parts(letter)), letter.attachments) == (["text/html"], [])


def test_whoever_only_waited_has_nothing_to_strike_out(
    scheduled, student, stranger, teacher, deliver_to
):
    start = timezone.now() + timedelta(days=2)
    VirtualClass.objects.update(
        max_participants=2, start_time=start, end_time=start + timedelta(hours=1)
    )
    join_class(user=student, access_code=scheduled.access_code)
    wait_for_place(user=stranger, access_code=scheduled.access_code)
    cancel_class(class_id=scheduled.pk, actor=teacher)

    letter = deliver_to(stranger)

    assert letter.subject.startswith("Se canceló la clase: ")
    assert (list(parts(letter)), letter.attachments) == (["text/html"], [])


def test_each_person_reads_their_own_language(joined, host, student, deliver_to):
    student.language = Language.ENGLISH
    student.save()

    spanish = deliver_to(host)
    make_due_again(Notice.objects.all())
    english = deliver_to(student)

    assert spanish.body.startswith("Hola, Ana:\n\nTu clase está confirmada.")
    assert english.body.startswith("Hi Bruno,\n\nYou have a place in Ana's class.")
    assert '<html lang="en">' in parts(english)["text/html"]


def test_names_are_escaped_in_html_and_only_there(scheduled, host, deliver_to):
    host.name = "<b>R&D</b>"
    host.save()

    letter = deliver_to(host)

    assert letter.body.startswith("Hola, <b>R&D</b>:")
    assert "&lt;b&gt;R&amp;D&lt;/b&gt;" in parts(letter)["text/html"]


def test_message_id_stays_the_same_until_the_teacher_sends_it_anew(notice, host, deliver_to):
    first = deliver_to(host).extra_headers["Message-ID"]
    Notice.objects.update(sent_at=None, next_attempt_at=notice.due_at)
    repeated = deliver_to(host).extra_headers["Message-ID"]
    Notice.objects.update(due_at=notice.due_at.replace(year=notice.due_at.year + 1))
    Notice.objects.update(sent_at=None, next_attempt_at=notice.due_at)
    anew = deliver_to(host).extra_headers["Message-ID"]

    assert first == repeated != anew
    assert first.startswith(f"<{notice.pk}.")
    assert first.endswith("@testserver>")


def test_a_mail_is_signed_with_the_teachers_name(scheduled, host, deliver_to):
    TeacherPageFactory(name="Paula Ferreyra")

    letter = deliver_to(host)

    assert letter.body.rstrip().endswith("Paula Ferreyra\nClases")
    assert "Paula Ferreyra ·" in everything(letter)
    assert "<img" not in everything(letter)
