"""The sheet of a class."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from accounts.services import write_down
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.people.claiming import claim_class
from bookings.domain.people.personal_data import erase_person
from bookings.domain.places.joining import join_class
from bookings.domain.sales.settling import settle
from bookings.models import PriceDecision, RefundCase, Role, UserActivity, VirtualClass, make_link
from tests.factories import UserFactory, VirtualClassFactory
from tests.panel.steps import address_of
from tests.panel.test_week import text_of
from tests.payments import make_payment

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_sheet(panel):
    def get(virtual_class):
        return panel.get(reverse("admin:class_sheet", args=[virtual_class.pk]))

    return get


def steps_of(page):
    """Give the names of the steps that a page leads to."""
    return [address.strip("/").rsplit("/", 1)[-1] for _, address in page.context["steps"]]


def test_a_class_ahead_shows_who_when_what_for_and_money(open_sheet, host, student):
    host.level, host.phone = "intermedio", "341 555 0199"
    host.save()
    row = VirtualClassFactory(
        scheduled=True, booked_by=host, learning_focus="Viajes", in_cash=timezone.now()
    )
    join_class(user=student, access_code=row.access_code)

    page = open_sheet(row)

    text = text_of(page)
    assert "Agendada Pagó $ 15.000 (a mano) Grupal, 60 min" in text.replace("\xa0", " ")
    assert "Viajes" in text
    assert "Personas, 2 de 5" in text
    assert "Ana Host reservó Intermedio" in text
    assert "https://wa.me/5493415550199" in page.content.decode()
    assert f'href="{row.html_link}"' in page.content.decode()
    assert "Marcar falta" not in text
    assert f'action="{address_of(row, "mover")}"' in page.content.decode()
    assert steps_of(page) == ["lugares", "cancelar"]


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


def test_a_paid_class_leads_to_its_refunds(open_sheet, mercadopago, host, teacher):
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)

    page = open_sheet(VirtualClass.objects.get())

    assert steps_of(page)[-2:] == ["devolver", "devolver-todo"]


@pytest.mark.parametrize(
    ("percent", "said"),
    [
        (100, ["Cancelada Te toca devolver $ 15.000 ", "Ana Host $ 15.000 A mano Ya lo devolví"]),
        (50, ["Cancelada Te toca devolver $ 7.500 ", "Ana Host $ 7.500 A mano"]),
    ],
)
def test_a_cancelled_class_paid_by_hand_says_what_she_returns(
    open_sheet, host, monkeypatch, percent, said
):
    monkeypatch.setattr(RefundCase.STUDENT_CANCELS, "percent", percent)
    start, paid = timezone.now() + timedelta(days=7), timezone.now()
    row = VirtualClassFactory(scheduled=True, booked_by=host, start_time=start, in_cash=paid)
    cancel_class(class_id=row.pk, actor=host)

    page = text_of(open_sheet(row)).replace("\xa0", " ")
    assert [words for words in said if words not in page] == []


def test_once_the_class_has_begun_absences_are_marked_here(panel, open_sheet, host, student):
    row = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    part = UserActivity.objects.create(user=student, virtual_class=row, rol=Role.PARTICIPANT)
    mark = reverse("admin:bookings_virtualclass_attendance", args=[row.pk, part.pk])

    before = open_sheet(row).content.decode()
    done = panel.post(mark, {"came": ""}, follow=True)

    assert mark in before
    assert done.redirect_chain[-1][0] == reverse("admin:class_sheet", args=[row.pk])
    assert "Bruno Student faltó" in text_of(done)


def test_an_unpaid_class_says_that_its_time_is_over(open_sheet):
    over = VirtualClassFactory(kept_until=timezone.now())

    assert "Se venció sin pagar" in text_of(open_sheet(over))


def test_a_step_leads_back_to_the_sheet(panel, host, teacher):
    row = VirtualClassFactory(scheduled=True, booked_by=host)
    sheet = reverse("admin:class_sheet", args=[row.pk])

    page = panel.get(reverse("admin:bookings_virtualclass_step", args=[row.pk, "cancelar"]))

    assert f'href="{sheet}"' in page.content.decode()


def test_staff_who_may_only_look_see_no_buttons(sign_in, host):
    row = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    staff = UserFactory(is_staff=True)
    client, sheet = sign_in(staff), reverse("admin:class_sheet", args=[row.pk])
    refused = client.get(sheet)
    staff.user_permissions.set(Permission.objects.filter(codename="view_virtualclass"))

    page = client.get(sheet)

    assert refused.status_code == 403
    assert steps_of(page) == []
    assert "Marcar falta" not in text_of(page)


@pytest.mark.parametrize("guests", [0, 3])
def test_the_sheet_costs_the_same_whoever_is_in_the_class(
    open_sheet, host, django_assert_num_queries, guests
):
    row = VirtualClassFactory(
        scheduled=True, booked_by=host, start_time=timezone.now() + timedelta(days=1)
    )
    for _ in range(guests):
        person = UserFactory()
        UserActivity.objects.create(user=person, virtual_class=row, rol=Role.PARTICIPANT)

    # Session, class, its sale and money, people, waiting list, returns, transfers, history.
    with django_assert_num_queries(13):
        open_sheet(row)


def test_a_claimed_class_asks_whether_it_is_the_same_person(open_sheet, panel, host):
    link = make_link(VirtualClassFactory(booked_by=write_down(name="Lucía", phone="341 555 0199")))
    claim_class(user=host, token=link.token)

    page = open_sheet(link.virtual_class)

    assert "¿Es Lucía?" in text_of(page)
    assert f"{host} ({host.email}) tomó esta clase" in text_of(page)
    assert {"misma-persona", "deshacer"} <= set(steps_of(page))
    file = panel.get(reverse("admin:student", args=[link.made_for_id]))
    assert f"{host} tomó con el enlace su clase" in text_of(file)


def test_the_class_of_an_erased_person_names_no_address(open_sheet, host):
    row = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    erase_person(user=host, by=host)

    page = open_sheet(row)

    assert "Cuenta borrada" in text_of(page)
    assert host.pk.hex not in page.content.decode()
    assert "Escribir a" not in text_of(page)


def test_the_address_of_the_table_s_row_leads_to_the_sheet(panel):
    row = VirtualClassFactory(scheduled=True)

    found = panel.get(reverse("admin:bookings_virtualclass_change", args=[row.pk]))
    missing = panel.get(reverse("admin:bookings_virtualclass_change", args=["nonsense"]))

    assert found["Location"] == reverse("admin:class_sheet", args=[row.pk])
    assert missing.status_code == 404


def test_the_sheet_has_what_a_search_for_a_fault_needs(open_sheet):
    row = VirtualClassFactory(scheduled=True)

    text = text_of(open_sheet(row))

    assert f"Código de acceso {row.access_code}" in text
    assert row.provider_event_id in text
    assert row.preference_id in text
