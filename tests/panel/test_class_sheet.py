"""The sheet of a class: what it is about, who came, who waits."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from accounts.services import write_down
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.completing import complete_ended_classes
from bookings.domain.people.claiming import claim_class
from bookings.domain.people.personal_data import erase_person
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import wait_for_place
from bookings.models import (
    ClassEvent,
    ClassLog,
    PriceDecision,
    Role,
    UserActivity,
    WaitingListEntry,
    make_link,
)
from bookings.templatetags.class_times import short_day
from tests.factories import UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.steps import address_of, confirm
from tests.sales.transfers import announce, store, take_transfers

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_sheet(panel):
    def get(virtual_class):
        return panel.get(reverse("admin:class_sheet", args=[virtual_class.pk]))

    return get


def steps_of(page):
    """Give the names of the steps that a page leads to, in its order."""
    offered = [*page.context["buttons"], *page.context["more"]]
    return [found[1] for one in offered if (found := re.search(r"/paso/([\w-]+)/", one.address))]


def test_a_class_ahead_shows_who_when_what_for_and_money(open_sheet, host, student):
    host.level, host.phone = "intermedio", "341 555 0199"
    host.save()
    row = VirtualClassFactory(
        scheduled=True, booked_by=host, learning_focus="Viajes", in_cash=timezone.now()
    )
    join_class(user=student, access_code=row.access_code)

    page = open_sheet(row)

    text = plain_text_of(page)
    assert "Agendada Grupal, 2 de 5 60 min" in text
    assert "Viajes" in text
    assert "Ana Host reservó Intermedio Pagó $ 15.000 (a mano)" in text.replace("\xa0", " ")
    assert "https://wa.me/5493415550199" in page.content.decode()
    assert f'href="{row.html_link}"' in page.content.decode()
    assert "faltó" not in text
    assert [one.label for one in page.context["buttons"]] == [
        *("Entrar", "Escribir a todos", "Cambiar el horario"),
    ]
    assert steps_of(page) == ["mover", "lugares", "cancelar"]


@pytest.mark.parametrize("step", ["mover", "cancelar"])
def test_a_step_leads_back_to_the_sheet_it_came_from(panel, open_sheet, host, step):
    row = VirtualClassFactory(scheduled=True, booked_by=host)
    sheet = reverse("admin:class_sheet", args=[row.pk])
    offered = [*open_sheet(row).context["buttons"], *open_sheet(row).context["more"]]
    address = next(one.address for one in offered if f"/{step}/" in one.address)

    assert (
        f'<a class="button button-quiet" href="{sheet}">No, volver</a>' in panel.get(address).text
    )


@pytest.mark.parametrize("named", ["https://example.com/", "//example.com", "javascript:alert(1)"])
def test_a_step_leads_back_to_no_other_site(panel, host, named):
    row = VirtualClassFactory(scheduled=True, booked_by=host)

    page = panel.get(address_of(row, "cancelar"), {"volver": named})

    assert page.context["back"] == reverse("admin:class_sheet", args=[row.pk])


@pytest.mark.parametrize(
    ("fields", "steps"),
    [
        ({}, ["pagada", "agendar", "cancelar"]),
        ({"price_decision": PriceDecision.WAITING}, ["aceptar", "cancelar"]),
        ({"status": "cancelled"}, []),
    ],
    ids=["unpaid", "undecided", "cancelled"],
)
def test_what_can_be_done_follows_from_the_state(open_sheet, fields, steps):
    assert steps_of(open_sheet(VirtualClassFactory(**fields))) == steps


def test_an_unpaid_class_that_the_calendar_would_refuse_is_not_scheduled(open_sheet, settings):
    settings.CALENDAR_TRIGGER_POLICY = "paid"

    assert steps_of(open_sheet(VirtualClassFactory())) == ["pagada", "cancelar"]


def test_a_paid_class_that_is_not_in_the_calendar_has_a_button_for_it(open_sheet):
    page = open_sheet(VirtualClassFactory(in_cash=timezone.now()))

    assert page.context["buttons"][0].label == "Agendar en el calendario"


def test_an_announced_transfer_is_confirmed_and_not_marked_as_paid(open_sheet, host):
    take_transfers()
    transfer = announce(store(host))

    page = open_sheet(transfer.purchase.virtual_class)

    assert [one.label for one in page.context["buttons"]] == [
        *("Llegó", "No llegó", "Escribir a Ana"),
    ]
    assert "pagada" in steps_of(page)


def test_a_cancelled_class_paid_by_hand_says_what_she_returns(open_sheet, host):
    start, paid = timezone.now() + timedelta(days=7), timezone.now()
    row = VirtualClassFactory(scheduled=True, booked_by=host, start_time=start, in_cash=paid)
    cancel_class(class_id=row.pk, actor=host)

    page = plain_text_of(open_sheet(row))
    assert "Ya lo devolví" in page
    assert "Ana Host reservó Te toca devolver $ 15.000 " in page


def test_an_unpaid_class_says_that_its_time_is_over(open_sheet):
    over = VirtualClassFactory(kept_until=timezone.now())

    assert "Se venció sin pagar" in plain_text_of(open_sheet(over))


def test_staff_who_may_only_look_see_no_buttons(sign_in, host):
    row = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    staff = UserFactory(is_staff=True)
    client, sheet = sign_in(staff), reverse("admin:class_sheet", args=[row.pk])
    refused = client.get(sheet)
    staff.user_permissions.set(Permission.objects.filter(codename="view_virtualclass"))

    page = client.get(sheet)

    assert refused.status_code == 403
    assert steps_of(page) == []
    assert 'name="absent"' not in page.text


@pytest.mark.parametrize("guests", [0, 3])
def test_the_sheet_costs_the_same_whoever_is_in_the_class(
    open_sheet, host, django_assert_num_queries, guests
):
    row = VirtualClassFactory(
        scheduled=True, booked_by=host, start_time=timezone.now() + timedelta(days=1)
    )
    for person in UserFactory.create_batch(guests):
        UserActivity.objects.create(user=person, virtual_class=row, rol=Role.PARTICIPANT)
        WaitingListEntry.objects.create(user=UserFactory(), virtual_class=row)
        details = {"person": str(person.pk)}
        ClassLog.objects.create(virtual_class=row, event=ClassEvent.JOINED, details=details)

    # Session, class, its sale and money, people, waiting list, returns, transfers, history and the
    # names in it.
    with django_assert_num_queries(12 + bool(guests)):
        open_sheet(row)


def test_a_claimed_class_asks_whether_it_is_the_same_person(open_sheet, panel, host):
    link = make_link(VirtualClassFactory(booked_by=write_down(name="Lucía", phone="341 555 0199")))
    claim_class(user=host, token=link.token)

    page = open_sheet(link.virtual_class)

    assert "¿Es Lucía?" in plain_text_of(page)
    assert f"{host} ({host.email}) tomó esta clase" in plain_text_of(page)
    assert {"misma-persona", "deshacer"} <= set(steps_of(page))
    file = panel.get(reverse("admin:student", args=[link.made_for_id]))
    assert f"{host} tomó con el enlace su clase" in plain_text_of(file)


def test_the_class_of_an_erased_person_names_no_address(open_sheet, host):
    row = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    erase_person(user=host, by=host)

    page = open_sheet(row)

    assert "Cuenta borrada" in plain_text_of(page)
    assert host.pk.hex not in page.content.decode()
    assert "Escribir a" not in plain_text_of(page)


def test_the_sheet_has_what_a_search_for_a_fault_needs(open_sheet):
    row = VirtualClassFactory(scheduled=True)

    text = plain_text_of(open_sheet(row))

    assert f"Código de acceso {row.access_code}" in text
    assert row.provider_event_id in text
    assert row.preference_id in text


# --- Who came, and who waits ----------------------------------------------------------------------


CODE = "ABCD2345"


def page_of(virtual_class):
    return reverse("admin:class_sheet", args=[virtual_class.pk])


def attendance_of(virtual_class):
    return reverse("admin:bookings_virtualclass_attendance", args=[virtual_class.pk])


def note(panel, virtual_class, *absent):
    """Note who did not come, and read the page that follows."""
    form = {"absent": [part.pk for part in absent]}
    return panel.post(attendance_of(virtual_class), form, follow=True).text


@pytest.fixture
def ended(host, student):
    """A class that ended an hour ago, and its guest's activity."""
    virtual_class = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    part = UserActivity.objects.create(
        user=student, virtual_class=virtual_class, rol=Role.PARTICIPANT
    )
    return virtual_class, part


@pytest.fixture
def full(host):
    """A full group of one, in two days."""
    return VirtualClassFactory(
        scheduled=True,
        booked_by=host,
        access_code=CODE,
        max_participants=1,
        start_time=timezone.now() + timedelta(days=2),
    )


def test_one_form_marks_who_did_not_come_and_takes_it_back(panel, ended, student, teacher):
    virtual_class, part = ended
    complete_ended_classes()

    marked = note(panel, virtual_class, part)
    student.refresh_from_db()
    total = student.total_classes
    taken_back = note(panel, virtual_class)

    student.refresh_from_db()
    assert "Anotamos que Bruno Student faltó: la clase no le cuenta." in marked
    assert "Anotamos que Bruno Student vino." in taken_back
    assert (total, student.total_classes) == (0, 1)
    lines = ClassLog.objects.filter(actor=teacher).values_list("event", flat=True)
    assert list(lines) == ["no_show", "showed_up"]
    assert LogEntry.objects.count() == 2


def test_each_person_has_one_box_once_the_class_has_begun(panel, ended, full):
    virtual_class, part = ended
    part.no_show = True
    part.save()

    page = panel.get(page_of(virtual_class)).text

    assert re.findall(r'name="absent" value="(\d+)" (\w*)>', page) == [
        (f"{virtual_class.activities.get(user=virtual_class.booked_by).pk}", ""),
        (f"{part.pk}", "checked"),
    ]
    assert 'name="absent"' not in panel.get(page_of(full)).text


def test_an_only_student_has_a_button(panel, host):
    row = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    part = row.activities.get()

    assert "Marcar falta" in panel.get(page_of(row)).text
    assert "Vino</button>" in note(panel, row, part)


def test_nobody_is_taken_out_of_another_class_s_line(panel, full, student):
    entry = wait_for_place(user=student, access_code=CODE)
    other = VirtualClassFactory(scheduled=True)

    page = confirm(panel, other, "espera", entry=entry.pk).content.decode()

    entry.refresh_from_db()
    assert entry.state == "waiting"
    assert "Eso cambió mientras mirabas." in page
    assert not LogEntry.objects.exists()


def test_the_line_stands_in_its_order_and_anybody_can_be_taken_out(panel, full):
    people = [UserFactory(name=name) for name in ("Zoe", "Alma", "Mia")]
    entries = [wait_for_place(user=person, access_code=CODE) for person in people]

    page = panel.get(page_of(full)).content.decode()
    after = confirm(panel, full, "espera", entry=entries[1].pk).content.decode()

    places = [
        page.index(person.email) if person.email in page else page.index(person.name)
        for person in people
    ]
    assert places == sorted(places)
    assert f"en la lista desde el {short_day(entries[0].created_at)}" in page
    assert "Alma salió de la lista de espera." in after
    assert WaitingListEntry.objects.get(pk=entries[1].pk).state == "left"


def test_nobody_else_presses_a_button(sign_in, host, ended):
    _, part = ended

    strangers = sign_in(host).post(attendance_of(part.virtual_class))
    host.is_staff = True
    host.save()
    staff = sign_in(host).post(attendance_of(part.virtual_class))

    part.refresh_from_db()
    assert (strangers.status_code, staff.status_code, part.no_show) == (302, 403, False)
