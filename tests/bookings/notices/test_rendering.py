"""notices/rendering.py: text, HTML, headers and calendar."""

import pytest
from icalendar import Calendar

from accounts.models import Language
from bookings.domain.classes.cancelling import cancel_class
from bookings.models import Notice
from bookings.notices.due import make_due_again
from tests.factories import TeacherPageFactory


def parts(letter):
    return {kind.partition(";")[0]: content for content, kind in letter.alternatives}


def everything(letter):
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
