"""``/inicio/clases/<id>``: one class, in each of its states, and its file for calendars."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.urls import reverse
from icalendar import Calendar

from accounts.models import User
from bookings.domain.places.joining import join_class
from bookings.domain.sales.checkout import check_out_hold
from bookings.models import ClassStatus, ClassType, VirtualClass
from tests.factories import HoldFactory, TeacherPageFactory, VirtualClassFactory
from tests.pages.moments import NOW, tuesday
from tests.pages.texts import text_of

pytestmark = pytest.mark.usefixtures("agenda")


CODE = "ABCD2345"
MEET = "https://meet.google.com/abc-defg-hij"


def address(virtual_class: VirtualClass) -> str:
    return reverse("bookings:class", args=[virtual_class.pk])


@pytest.fixture
def kept(host) -> VirtualClass:
    """A pending class for three whose time is kept until a quarter past."""
    hold = HoldFactory(
        user=host,
        start_time=tuesday("10:00"),
        end_time=tuesday("11:00"),
        class_type=ClassType.GROUP,
        expires_at=NOW + timedelta(minutes=15),
    )
    return check_out_hold(user=host, hold_id=hold.pk, students_count=3)


@pytest.fixture
def scheduled(host) -> VirtualClass:
    return VirtualClassFactory(
        booked_by=host,
        scheduled=True,
        access_code=CODE,
        start_time=tuesday("10:00"),
        max_participants=3,
    )


# --- Waiting for the payment ----------------------------------------------------------------------


def test_a_kept_class_counts_down_and_says_what_happens_then(kept, host, sign_in):
    text = text_of(sign_in(host).get(address(kept)))

    assert "Te guardamos este horario hasta las <strong>22:00</strong>." in text
    assert "Si el pago no se confirma antes de las 22:00, el horario vuelve a quedar libre." in text


def test_a_lapsed_class_leads_back_to_its_time(kept, host, sign_in):
    client = sign_in(host)

    with time_machine.travel(NOW + timedelta(hours=10, minutes=1), tick=False):
        text = text_of(client.get(address(kept)))

    again = "/inicio/reservar?tipo=grupal&amp;min=60&amp;dia=2026-11-24&amp;hora=10%3A00#horarios"
    assert "Ya no se guarda." in text
    assert f'href="{again}"' in text


def test_a_class_whose_link_is_being_made_asks_until_there_is_something_new(host, sign_in):
    preparing = VirtualClassFactory(booked_by=host, scheduling_requested_at=NOW, paid_at=NOW)
    client = sign_in(host)

    text = text_of(client.get(address(preparing)))
    asked = client.get(address(preparing), headers={"HX-Request": "true"})
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)
    asked_again = client.get(address(preparing), headers={"HX-Request": "true"})

    assert "Estamos preparando tu enlace" in text
    assert 'hx-trigger="every 5s"' in text
    assert (asked.status_code, asked.content) == (204, b"")
    assert asked_again["HX-Refresh"] == "true"


def test_a_link_that_takes_long_is_no_error_and_promises_no_minute(host, sign_in):
    long_ago = NOW - timedelta(hours=3)
    late = VirtualClassFactory(booked_by=host, scheduling_requested_at=long_ago, paid_at=long_ago)

    text = text_of(sign_in(host).get(address(late)))

    assert "Pagada" in text
    assert "está tardando más de lo normal" in text
    assert "menos de un minuto" not in text
    assert 'hx-trigger="every 60s"' in text


# --- Scheduled ------------------------------------------------------------------------------------


def test_the_host_sees_link_code_and_invitation(scheduled, host, sign_in):
    text = text_of(sign_in(host).get(address(scheduled)))

    join_url = f"http://testserver/inicio/unirse/{CODE}"
    assert f'href="{MEET}"' in text
    assert f'data-testid="access-code">{CODE}<' in text
    assert f'data-copy="{join_url}"' in text
    assert "Quedan 2 lugares:" in text
    assert "Participantes" in text


def test_the_invitation_for_whatsapp_says_when_and_where(scheduled, host, sign_in):
    url = sign_in(host).get(address(scheduled)).context["invitation"]["whatsapp_url"]

    assert parse_qs(urlsplit(url).query)["text"] == [
        "Sumate a mi clase, martes 24 de noviembre a las 10:00 (hora de Argentina): "
        f"http://testserver/inicio/unirse/{CODE}"
    ]


def test_a_class_for_one_has_no_code(scheduled, host, sign_in):
    VirtualClass.objects.update(class_type=ClassType.INDIVIDUAL, max_participants=1)

    response = sign_in(host).get(address(scheduled))

    assert f'href="{MEET}"' in text_of(response)
    assert CODE not in response.content.decode()


def test_the_host_of_a_class_for_several_sees_who_joined_whatever_its_type(
    scheduled, host, student, sign_in
):
    join_class(user=student, access_code=CODE)
    VirtualClass.objects.update(class_type=ClassType.INDIVIDUAL)

    text = text_of(sign_in(host).get(address(scheduled)))

    assert student.name in text.partition("Participantes")[2]


def test_a_cancelled_class_lists_no_participants(scheduled, host, student, sign_in):
    join_class(user=student, access_code=CODE)
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)

    assert "Participantes" not in text_of(sign_in(host).get(address(scheduled)))


def test_a_class_without_facts_has_no_panel_for_them(kept, host, sign_in):
    assert "<dl" not in text_of(sign_in(host).get(address(kept)))


def test_a_guest_sees_the_link_and_neither_code_nor_people(scheduled, student, sign_in):
    join_class(user=student, access_code=CODE)

    text = text_of(sign_in(student).get(address(scheduled)))

    assert f'href="{MEET}"' in text
    assert CODE not in text
    assert "Participantes" not in text
    assert "Reservada por" in text


def test_for_others_the_class_does_not_exist(scheduled, stranger, sign_in):
    assert sign_in(stranger).get(address(scheduled)).status_code == 404


def test_a_full_class_invites_nobody(scheduled, host, sign_in):
    VirtualClass.objects.update(current_participants=3)

    response = sign_in(host).get(address(scheduled))

    assert response.context["invitation"] == {}
    assert "La clase está completa" in text_of(response)


@pytest.mark.parametrize(
    ("moment", "button"),
    [("09:44", "button-quiet"), ("09:45", "button-sun"), ("10:59", "button-sun")],
)
def test_entering_becomes_the_thing_to_do_shortly_before(scheduled, host, sign_in, moment, button):
    client = sign_in(host)

    with time_machine.travel(tuesday(moment), tick=False):
        text = text_of(client.get(address(scheduled)))

    [classes] = re.findall(rf'<a class="([^"]+)" href="{MEET}"', text)
    assert button in classes.split()
    assert ("Desde las 09:45" in text) == (button == "button-quiet")


def test_the_class_goes_into_other_calendars(scheduled, host, sign_in):
    context = sign_in(host).get(address(scheduled)).context

    google = parse_qs(urlsplit(context["google_calendar_url"]).query)
    outlook = parse_qs(urlsplit(context["outlook_url"]).query)
    assert google == {
        "action": ["TEMPLATE"],
        "text": ["Clase grupal"],
        "dates": ["20261124T130000Z/20261124T140000Z"],
        "ctz": ["America/Argentina/Buenos_Aires"],
        "location": [MEET],
    }
    assert (outlook["startdt"], outlook["enddt"]) == (
        ["2026-11-24T13:00:00+00:00"],
        ["2026-11-24T14:00:00+00:00"],
    )
    assert (
        f"{address(scheduled)}/clase.ics" in sign_in(host).get(address(scheduled)).content.decode()
    )


# --- Over -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (ClassStatus.CANCELLED, "Esta clase se canceló"),
        (ClassStatus.COMPLETED, "Esta clase ya terminó"),
    ],
)
def test_what_is_over_shows_neither_link_nor_code(scheduled, host, sign_in, status, told):
    VirtualClass.objects.update(status=status)

    text = text_of(sign_in(host).get(address(scheduled)))

    assert told in text
    assert MEET not in text
    assert CODE not in text


# --- clase.ics: for those who take part, and for nobody else --------------------------------------


@pytest.fixture
def virtual_class(host):
    return VirtualClassFactory(scheduled=True, booked_by=host, access_code="ABCD2345")


@pytest.fixture
def path(virtual_class):
    return reverse("bookings:calendar_file", args=[virtual_class.pk])


def test_the_host_gets_the_file(virtual_class, path, host, sign_in):
    response = sign_in(host).get(path)

    [event] = Calendar.from_ical(response.content).events
    assert path == f"/inicio/clases/{virtual_class.pk}/clase.ics"
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    assert response["Content-Disposition"].startswith('attachment; filename="clase-20')
    assert event["UID"] == f"{virtual_class.provider_event_id}@google.com"
    assert "no-store" in response["Cache-Control"]


def test_a_guest_gets_the_file_without_the_code(path, student, sign_in):
    join_class(user=student, access_code="ABCD2345")

    response = sign_in(student).get(path)

    assert response.status_code == 200
    assert b"ABCD2345" not in response.content


def test_to_a_stranger_it_does_not_exist(path, stranger, sign_in):
    assert sign_in(stranger).get(path).status_code == 404


def test_whoever_is_not_signed_in_is_sent_to_sign_in(path, client):
    assert client.get(path).status_code == 302


@pytest.mark.parametrize(
    "status", [ClassStatus.PENDING, ClassStatus.CANCELLED, ClassStatus.COMPLETED]
)
def test_only_a_scheduled_class_has_a_file(virtual_class, path, host, sign_in, status):
    virtual_class.status = status
    virtual_class.save()

    assert sign_in(host).get(path).status_code == 404


@pytest.mark.parametrize(
    ("way", "phone", "ways"),
    [
        ("both", "0341 15 555-0111", {"wa.me", "mailto:"}),
        ("whatsapp", "0341 15 555-0111", {"wa.me"}),
        ("mail", "0341 15 555-0111", {"mailto:"}),
        ("whatsapp", "", {"mailto:"}),
        ("whatsapp", "preguntame", {"mailto:"}),
    ],
    ids=["both", "whatsapp", "mail", "no phone", "no number"],
)
def test_the_class_says_how_to_write_to_the_teacher(
    scheduled, host, teacher, sign_in, way, phone, ways
):
    User.objects.filter(pk=teacher.pk).update(phone=phone)
    TeacherPageFactory(contact=way)

    asked = text_of(sign_in(host).get(address(scheduled))).partition("¿No podés ir?")[2]

    assert {one for one in ("wa.me", "mailto:") if one in asked} == ways


def test_her_number_is_shown_only_once_she_chose_it(scheduled, host, teacher, sign_in):
    User.objects.filter(pk=teacher.pk).update(phone="0341 15 555-0111")

    asked = text_of(sign_in(host).get(address(scheduled))).partition("¿No podés ir?")[2]

    assert "mailto:" in asked
    assert "wa.me" not in asked


def test_nobody_is_invited_to_ask_who_cannot(scheduled, host, sign_in, settings):
    settings.ADMIN_EMAIL = ""

    assert "Escribile" not in text_of(sign_in(host).get(address(scheduled)))
