"""The teacher writes to everybody in a class or in a week."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse

from accounts.services import suspend
from bookings.domain.desk import messages
from bookings.domain.people.personal_data import erase_person, export_person
from bookings.domain.places.joining import join_class
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Message,
    Notice,
    NoticeKind,
    VirtualClass,
)
from bookings.notices.delivery import deliver_due
from tests.factories import VirtualClassFactory
from tests.panel.moments import MONDAY, NOW, at, days_later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

WORDS = {"subject": "Traigan el libro", "text": "Hola:\nmañana leemos la página 12 < 13."}


def page_of(**audience):
    [(name, value)] = audience.items()
    return f"{reverse('admin:write')}?{name}={value}"


@pytest.fixture
def group(host, student):
    """Ana's group of tomorrow, with Bruno in it."""
    start = at("18:00", days_later(1))
    virtual_class = VirtualClassFactory(booked_by=host, scheduled=True, start_time=start)
    join_class(user=student, access_code=virtual_class.access_code)
    return VirtualClass.objects.get(pk=virtual_class.pk)


def fields_of(page):
    """Give the hidden fields of the form that confirms."""
    form = page.content.decode().partition('class="write-look ')[2].partition("</form>")[0]
    return dict(re.findall(r'name="(seen|subject)" value="([^"]*)"', form))


def look(client, address, *people, **changes):
    return client.post(address, {**WORDS, "people": [one.pk for one in people], **changes})


def send(client, address, *people, **changes):
    """Look at the mail and send exactly that."""
    seen = fields_of(look(client, address, *people, **changes)).get("seen", "")
    return look(client, address, *people, seen=seen, **changes)


def messages_to():
    """Give the receivers of the mails that are due."""
    notices = Notice.objects.filter(kind=NoticeKind.MESSAGE)
    return sorted(notices.values_list("user__name", flat=True))


# --- Whom it names --------------------------------------------------------------------------------


def names_on(page):
    return re.findall(r'name="people"[^>]*>\s*<span>([^·<]+?) ?[·<]', page.content.decode())


def test_the_title_names_the_only_receiver(panel, group, student):
    titles = [panel.get(page_of(clase=group.pk)).context["title"]]
    suspend(user=student)
    titles += [panel.get(page_of(clase=group.pk)).context["title"]]

    assert titles == ["Escribir a todos", "Escribir a Ana"]


def test_a_class_names_its_people_with_their_chats(panel, group, host, student):
    student.phone = "0341 15 555-0199"
    student.save()

    page = panel.get(page_of(clase=group.pk))
    shown = look(panel, page_of(clase=group.pk), host, student).content.decode()

    assert names_on(page) == ["Ana Host", "Bruno Student"]
    assert shown.count("https://wa.me/") == 1
    assert "https://wa.me/5493415550199?text=Hola%3A%0Ama%C3%B1ana" in shown


def test_a_week_names_each_person_with_a_place_once(panel, group, host):
    VirtualClassFactory(booked_by=host, scheduled=True, start_time=at("18:00", days_later(3)))
    others = {
        "next week": {"scheduled": True, "start_time": at("18:00", days_later(7))},
        "cancelled": {"status": ClassStatus.CANCELLED, "start_time": at("18:00")},
        "unpaid": {"start_time": at("18:00")},
    }
    for fields in others.values():
        VirtualClassFactory(**fields)

    page = panel.get(page_of(semana=MONDAY + timedelta(days=2)))

    assert names_on(page) == ["Ana Host", "Bruno Student"]
    assert "mar 17 nov, 18:00 y jue 19 nov, 18:00" in page.content.decode()


def test_a_suspended_person_gets_nothing(panel, group, student):
    suspend(user=student)

    assert names_on(panel.get(page_of(clase=group.pk))) == ["Ana Host"]


@pytest.mark.parametrize(
    "query", ["", "?clase=x", f"?clase={'0' * 32}", "?semana=x", "?semana=9999-12-31", "?semana="]
)
def test_an_audience_that_is_none_is_not_found(panel, query):
    assert panel.get(reverse("admin:write") + query).status_code == 404


# --- What leaves ----------------------------------------------------------------------------------


def test_one_mail_leaves_to_each_person_once_it_was_shown(panel, group, host, student, settings):
    address = page_of(clase=group.pk)
    settings.ADMIN_EMAIL = "profe@example.com"

    shown = look(panel, address, host, student)
    before = messages_to()
    done = send(panel, address, host, student)
    again = send(panel, address, host, student)
    Notice.objects.exclude(kind=NoticeKind.MESSAGE).delete()
    deliver_due()

    assert "Mandar 2 correos" in re.sub(r"\s+", " ", shown.content.decode())
    assert "la página 12 &lt; 13." in shown.content.decode()
    assert before == []
    assert done.status_code == 302
    assert "ya salió para las mismas personas" in again.content.decode()
    assert messages_to() == ["Ana Host", "Bruno Student"]
    assert sorted(one.to for one in mail.outbox) == [["ana@example.com"], ["bruno@example.com"]]
    letter = mail.outbox[0]
    assert letter.subject == "Traigan el libro"
    assert letter.reply_to == ["profe@example.com"]
    assert "mañana leemos la página 12 < 13." in letter.body
    assert "la página 12 &lt; 13." in letter.alternatives[0][0]
    assert f"/inicio/clases/{group.pk}" in letter.body
    assert "martes 17 de noviembre, de 18:00 a 19:00" in letter.body


def test_a_week_s_mail_is_one_for_a_person_of_two_classes(panel, group, host, student):
    second = VirtualClassFactory(
        booked_by=host, scheduled=True, start_time=at("18:00", days_later(3))
    )

    send(panel, page_of(semana=MONDAY), host, student)

    assert messages_to() == ["Ana Host", "Bruno Student"]
    lines = ClassLog.objects.filter(event=ClassEvent.MESSAGE_SENT)
    counts = {line.virtual_class_id: line.details["people"] for line in lines}
    assert counts == {group.pk: 2, second.pk: 1}
    Notice.objects.exclude(kind=NoticeKind.MESSAGE).delete()
    deliver_due()
    assert all("/inicio/clases\n" in one.body for one in mail.outbox)


def test_what_was_changed_after_the_look_is_shown_again(panel, group, host, student):
    address = page_of(clase=group.pk)
    seen = fields_of(look(panel, address, host, student))["seen"]

    answers = [
        look(panel, address, host, student, seen=seen, text="Otra cosa"),
        look(panel, address, host, seen=seen),
        look(panel, address, host, student, seen="x"),
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert messages_to() == []


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"people": []}, "Elegí al menos a una persona."),
        ({"subject": ""}, "Asunto: Completá este dato."),
        ({"subject": "a\nb"}, "saltos de línea"),
        ({"text": "x" * 4001}, "4000"),
        ({"text": "a\0"}, "nulos"),
        ({"people": ["00000000-0000-0000-0000-000000000000"]}, "no está entre ellas"),
    ],
    ids=["nobody", "no subject", "two lines", "too long", "NUL", "a stranger"],
)
def test_a_message_that_cannot_leave_is_refused(panel, group, host, changes, refusal):
    page = look(panel, page_of(clase=group.pk), host, **changes)

    assert refusal in page.content.decode()
    assert fields_of(page) == {}
    assert not Message.objects.exists()


def test_a_hundred_and_first_person_is_refused(panel, group, host, student, monkeypatch):
    monkeypatch.setattr(messages, "MOST_RECEIVERS", 1)

    page = send(panel, page_of(clase=group.pk), host, student)

    assert "Sacá a algunas." in page.content.decode()
    assert not Message.objects.exists()


def test_many_messages_in_an_hour_are_refused(panel, group, host, monkeypatch):
    monkeypatch.setattr(messages, "MESSAGES_AN_HOUR", 1)

    for number in range(2):
        page = send(panel, page_of(clase=group.pk), host, subject=f"{number}")

    assert "Mandaste muchos mensajes en una hora." in page.content.decode()
    assert Message.objects.count() == len(messages_to()) == 1


# --- The words are personal data ------------------------------------------------------------------


def test_the_export_has_the_words_that_the_person_got(panel, group, host, student, stranger):
    send(panel, page_of(clase=group.pk), student)

    assert "Traigan el libro" in export_person(student)
    assert "Traigan el libro" not in export_person(host) + export_person(stranger)


def test_the_words_go_with_the_last_person_who_got_them(panel, teacher, group, host, student):
    send(panel, page_of(clase=group.pk), host, student)
    VirtualClass.objects.update(
        status=ClassStatus.COMPLETED, start_time=NOW - timedelta(2), end_time=NOW - timedelta(1)
    )

    erase_person(user=host, by=teacher, fresh_sign_in=True)
    left = Message.objects.count()
    erase_person(user=student, by=teacher, fresh_sign_in=True)

    assert left == 1
    assert not Message.objects.exists()
