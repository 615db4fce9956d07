"""*Clases abiertas* in the panel: publishing, the list, and the sheet with its places."""

from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.models import OpenClass, VirtualClass, WaitingListEntry
from bookings.panel.sales.open_class_pages import PublishForm
from tests.factories import VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.steps import look
from tests.sales.open_classes import PRICE, hold, publish, take
from tests.standins import Fault

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_class(mercadopago, teacher):
    return publish(teacher)


def answers(**changes):
    day = timezone.localdate() + timedelta(days=8)
    usual = {
        "title": "Conversación B1",
        "day": f"{day}",
        "clock": "19:00",
        "places": "6",
        "place_price": "8.000",
        "minimum": "3",
        # As the form shows them.
        "hours_before": "24",
        "minutes": "60",
        "is_listed": "on",
    }
    return usual | changes


def send(panel, **changes):
    return panel.post(reverse("admin:publish"), answers(**changes))


def test_six_answers_publish_a_class(panel, mercadopago, google):
    answer = send(panel)

    open_class = OpenClass.objects.select_related("virtual_class").get()
    assert answer["Location"] == reverse("admin:class_sheet", args=[open_class.pk])
    assert (open_class.places, open_class.minimum, open_class.place_price) == (6, 3, PRICE)
    assert open_class.virtual_class.start_time - open_class.decides_at == timedelta(days=1)
    assert open_class.is_listed
    assert open_class.virtual_class.is_scheduled


def test_english_is_kept_and_proposed_for_the_next_class(panel, mercadopago, google):
    english = {"title_en": "B1 conversation", "text_en": "We talk."}

    send(panel, **english)

    [stored] = OpenClass.objects.values(*english)
    form = panel.get(reverse("admin:publish")).context["form"]
    assert stored == {name: form[name].value() for name in english} == english


@pytest.mark.parametrize(
    "changes",
    [
        {"day": "9999-01-01"},
        {"clock": "25:00"},
        {"places": "0"},
        {"minimum": "0"},
        {"place_price": "-1"},
        {"hours_before": "7"},
        {"minutes": "481"},
        {"level": "nada"},
        {"title": "x" * 81},
    ],
    ids=str,
)
def test_bad_answers_are_named(changes):
    assert list(PublishForm(answers(**changes)).errors) == [*changes]


@pytest.mark.parametrize(
    "changes",
    [{"title": ""}, {"day": "2020-01-01"}, {"places": "100"}, {"minimum": "7"}],
    ids=str,
)
def test_bad_answers_say_so_and_leave_nothing(panel, mercadopago, google, changes):
    page = send(panel, **changes)

    assert page.status_code == 200
    assert page.context["form"].errors
    assert not VirtualClass.objects.exists()
    assert google.events() == []


def test_a_taken_time_names_the_class_there(panel, mercadopago, google, host):
    start = timezone.localtime() + timedelta(days=8)
    start = start.replace(hour=19, minute=0, second=0, microsecond=0)
    VirtualClassFactory(scheduled=True, booked_by=host, start_time=start)

    page = send(panel)

    assert "A esa hora está la clase de Ana Host" in page.text
    assert not OpenClass.objects.exists()


def test_the_next_class_proposes_the_last_ones_answers(panel, open_class):
    form = panel.get(reverse("admin:publish"), {"inicio": "2026-12-03T19:00"}).context["form"]

    assert form["title"].value() == "Conversación B1"
    assert form["places"].value() == 6
    assert form["day"].value().isoformat() == "2026-12-03"


def test_a_calendar_that_is_down_keeps_the_class_published(panel, mercadopago, google):
    google.fault("events.insert", *[Fault.status(503)] * 9)

    page = panel.post(reverse("admin:publish"), answers(), follow=True)

    assert "El calendario no respondió" in page.text
    assert OpenClass.objects.exists()


def test_the_list_tells_people_places_and_shares(panel, mercadopago, open_class):
    take(mercadopago, open_class)

    page = panel.get(reverse("admin:open_classes")).text

    assert "1 de 6 lugares, mínimo 3" in page
    assert "Faltan 2" in page
    shared = unquote(page)
    assert "Reservá el tuyo acá: " in shared
    assert f"/clases-abiertas/{open_class.pk}" in shared


def test_the_sheet_tells_who_paid_what(panel, mercadopago, open_class, student):
    [paid] = take(mercadopago, open_class)
    hold(open_class, student)

    page = panel.get(reverse("admin:class_sheet", args=[open_class.pk]))

    text = plain_text_of(page).replace("\xa0", " ")
    assert "Conversación B1 Faltan 2 1 de 6 $ 8.000 por lugar · 1 pago 60 min" in text
    assert f"{paid.person} Pagó $ 8.000 (Mercado Pago)" in text
    assert "Sin pagar: $ 8.000 hasta las" in text
    assert "Ya me pagó : Bruno Student" in text
    assert reverse("admin:bookings_payment_change", args=[paid.payment.pk]) in page.text
    assert "Se da igual" in text


def test_the_sheet_says_what_happens_below_the_minimum_while_people_are_missing(
    panel, mercadopago, open_class
):
    sheet = reverse("admin:class_sheet", args=[open_class.pk])
    take(mercadopago, open_class, 2)
    below = panel.get(sheet).text
    take(mercadopago, open_class)

    enough = panel.get(sheet).text

    assert ["Mínimo 3: se decide el" in page for page in (below, enough)] == [True, True]
    assert ["Si no llega, se cancela sola" in page for page in (below, enough)] == [True, False]


def test_the_teacher_is_no_participant_of_her_class(panel, mercadopago, open_class, teacher):
    page = panel.get(reverse("admin:class_sheet", args=[open_class.pk]))

    assert page.context["people"] == []
    assert f"Escribir a {teacher.first_name}" not in page.text


def test_who_only_waits_is_not_written_to(panel, mercadopago, open_class, student):
    [paid] = take(mercadopago, open_class)
    WaitingListEntry.objects.create(virtual_class=open_class.virtual_class, user=student)

    page = panel.get(reverse("admin:class_sheet", args=[open_class.pk])).text

    assert f"Escribir a {paid.person.first_name}" in page


@pytest.mark.parametrize("people", [0, 1, 6])
def test_a_sheet_has_six_buttons_at_most(panel, mercadopago, open_class, people):
    take(mercadopago, open_class, people)

    page = panel.get(reverse("admin:class_sheet", args=[open_class.pk])).text

    assert page.count('class="button') <= 6


def test_cancelling_says_what_goes_back(panel, mercadopago, open_class):
    take(mercadopago, open_class, 2)

    page = look(panel, open_class.virtual_class, "cancelar").text

    assert "Vuelven $\xa016.000 por Mercado Pago, a cada persona lo que pagó." in page


@pytest.mark.parametrize("count", [1, 3])
def test_the_sheet_costs_the_same_for_more_places(
    panel, mercadopago, open_class, django_assert_num_queries, count
):
    take(mercadopago, open_class, count)

    # As for another class, the published one, and the money of its places.
    with django_assert_num_queries(14):
        panel.get(reverse("admin:class_sheet", args=[open_class.pk]))
