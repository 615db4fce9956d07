"""Offers on the pages: chosen, seen, booked, and named afterwards."""

import csv
import json
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from bookings.domain.people.personal_data import export_person
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassType, Hold, Notice, NoticeKind, VirtualClass
from bookings.notices.registry import MAILS
from bookings.pages.booking import details_url
from bookings.pages.choosing import rebook_url
from tests.factories import VirtualClassFactory
from tests.pages.moments import tuesday
from tests.pages.test_choosing import chosen_in, times_in
from tests.pages.texts import text_of
from tests.sales.offers import KEY, make_group_offer, make_offer, make_trial

PATH = "/inicio/reservar"
WHEN = {"dia": "2026-11-24", "hora": "10:00"}
OVER = "Esa clase ya no se ofrece."
USED = "Esa clase es una sola vez por persona, y ya la reservaste."

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("agenda"),
]


def keep(user, offer, minutes=60, clock="10:00"):
    class_type = ClassType(offer.class_type)
    return hold_slot(
        user=user, start=tuesday(clock), minutes=minutes, class_type=class_type, offer=offer
    )


def send(client, hold, seen, students=1):
    return client.post(details_url(hold), {"students_count": students, "seen": seen})


# --- Choosing -------------------------------------------------------------------------------------


def test_offers_are_further_kinds_of_class(client):
    offer = make_offer({60: 1_800_000, 90: 2_500_000}, text="Simulacros con tiempo.")

    page = client.get(PATH, {"tipo": offer.key, "min": "90"})

    html = page.content.decode()
    assert "Preparación de examen" in client.get(PATH).content.decode()
    assert chosen_in(html)[:2] == [KEY, "90"]
    assert "Simulacros con tiempo." in text_of(page)
    assert len(times_in(html)) == 12


def test_a_free_one_says_so(client):
    make_trial()

    assert "Gratis" in text_of(client.get(PATH, {"oferta": "prueba234567"}))


def test_an_unlisted_offer_is_found_by_its_link_alone(client):
    make_offer(is_listed=False)

    assert "Preparación de examen" not in text_of(client.get(PATH))
    assert "Preparación de examen" not in text_of(client.get("/"))
    assert chosen_in(client.get(PATH, {"oferta": KEY}).content.decode())[:2] == [KEY, "60"]


@pytest.mark.parametrize("key", [KEY, "nadienadie22", "\x00", "x" * 300], ids=repr)
def test_an_offer_that_is_over_says_so_and_shows_the_others(client, key):
    make_offer(is_active=False)

    page = client.get(PATH, {"oferta": key})

    assert OVER in text_of(page)
    assert chosen_in(page.content.decode())[:2] == ["individual", "60"]


def test_the_form_of_an_offer_that_ended_books_nothing_else(host, sign_in):
    make_offer(is_active=False)

    response = sign_in(host).post(PATH, {"tipo": KEY, "min": "60", **WHEN}, follow=True)

    assert OVER in text_of(response)
    assert not Hold.objects.exists()


def test_a_time_of_an_offer_is_held_with_it(host, sign_in):
    offer = make_offer()

    response = sign_in(host).post(PATH, {"tipo": KEY, "min": "60", **WHEN})

    hold = Hold.objects.get()
    assert (hold.offer, hold.minutes) == (offer, 60)
    assert parse_qs(urlsplit(response["Location"]).query)["oferta"] == [KEY]


def test_a_stranger_s_choice_of_an_unlisted_offer_outlives_the_sign_in(client, host):
    offer = make_offer(is_listed=False)
    response = client.post(PATH, {"tipo": KEY, "min": "60", **WHEN})
    [back] = parse_qs(urlsplit(response["Location"]).query)["callbackUrl"]
    client.force_login(host)

    client.get(back)

    assert Hold.objects.get().offer == offer


# --- Once per person ------------------------------------------------------------------------------


def test_a_trial_class_is_offered_until_the_student_had_it(host, sign_in, client):
    trial = make_trial()
    browser = sign_in(host)
    before = text_of(browser.get(PATH))

    check_out_hold(user=host, hold_id=keep(host, trial, 30).pk, students_count=1)

    assert "Clase de prueba" in before
    assert "Clase de prueba" not in text_of(browser.get(PATH))
    assert "Clase de prueba" in text_of(client.get(PATH))


def test_a_student_who_had_it_reads_why_it_is_gone(host, sign_in):
    trial = make_trial()
    check_out_hold(user=host, hold_id=keep(host, trial, 30).pk, students_count=1)
    browser = sign_in(host)

    page = browser.get(PATH, {"oferta": trial.key})
    posted = browser.post(PATH, {"tipo": trial.key, "min": "30", **WHEN}, follow=True)

    assert USED in text_of(page)
    assert trial.key not in chosen_in(page.content.decode())
    assert USED in text_of(posted)
    assert Hold.objects.filter(purchase__virtual_class=None).count() == 0


def test_the_second_of_two_tabs_reads_it_too(host, sign_in):
    trial = make_trial()
    browser = sign_in(host)
    first = keep(host, trial, 30)
    send(browser, first, "1:0")

    other_tab = browser.post(PATH, {"tipo": trial.key, "min": "30", **WHEN, "hora": "19:00"})

    assert VirtualClass.objects.count() == 1
    assert USED in text_of(browser.get(other_tab["Location"]))


def test_choosing_takes_a_query_more_only_for_offers_for_once(host, sign_in, count_queries):
    browser = sign_in(host)
    browser.get(PATH)
    make_offer()
    plain = count_queries(lambda: browser.get(PATH))
    make_trial()

    assert count_queries(lambda: browser.get(PATH)) == plain + 1


@pytest.fixture
def count_queries(django_assert_max_num_queries):
    def count(act) -> int:
        with django_assert_max_num_queries(50) as queries:
            act()
        return len(queries)

    return count


# --- The details ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("mercadopago")
def test_the_details_name_the_offer_and_its_price(host, sign_in):
    page = text_of(sign_in(host).get(details_url(keep(host, make_offer()))))

    assert "Preparación de examen" in page
    assert "$ 18.000" in page
    assert "Seguir al pago" in page


def test_a_free_class_is_booked_without_a_way_to_pay(host, sign_in):
    hold = keep(host, make_trial(), 30)
    browser = sign_in(host)
    page = text_of(browser.get(details_url(hold)))

    send(browser, hold, "1:0")

    booked = VirtualClass.objects.get()
    assert "Gratis" in page
    assert "Reservar la clase" in page
    assert "No hay nada que pagar" in page
    assert "te devolvemos" not in page
    assert (booked.is_scheduled, booked.class_price) == (True, 0)


def test_the_price_of_an_offer_that_changed_is_shown_first(host, sign_in):
    offer = make_offer()
    hold, browser = keep(host, offer), sign_in(host)
    offer.prices.update(amount=1_900_000)

    page = text_of(send(browser, hold, "1:1800000"))

    assert "El precio cambió mientras tanto." in page
    assert "$ 19.000" in page
    assert not VirtualClass.objects.exists()


def test_a_group_s_offer_asks_for_the_number_of_people(host, sign_in):
    hold = keep(host, make_group_offer())
    browser = sign_in(host)
    form = browser.get(details_url(hold)).context["form"]

    send(browser, hold, form.shown, students=5)

    booked = VirtualClass.objects.get()
    assert (booked.max_participants, booked.class_price) == (5, 4_200_000)


# --- Afterwards -----------------------------------------------------------------------------------


def test_class_mail_panel_and_export_name_the_offer(host, teacher, sign_in):
    offer = make_offer()
    booked = VirtualClassFactory(booked_by=host, offer=offer, scheduled=True)
    notice = Notice(user=host, virtual_class=booked, kind=NoticeKind.CONFIRMATION)

    lines = [line.find_text(notice) for line in MAILS[NoticeKind.CONFIRMATION].facts]
    [exported] = json.loads(export_person(host))["classes"]
    pages = [
        sign_in(host).get(reverse("bookings:class", args=[booked.pk])),
        sign_in(host).get("/inicio/clases"),
        sign_in(teacher).get(reverse("admin:class_sheet", args=[booked.pk])),
        sign_in(teacher).get(reverse("admin:student", args=[host.pk])),
    ]

    assert lines[0] == "Preparación de examen"
    assert exported["offer"] == "Preparación de examen"
    assert ["Preparación de examen" in text_of(page) for page in pages] == [True] * 4
    assert booked.describe() == "La clase será grupal, para 5 participantes."


def test_the_payments_as_a_table_name_the_offer(host, teacher, sign_in, mercadopago):
    hold = keep(host, make_offer())
    check_out_hold(user=host, hold_id=hold.pk, students_count=1)

    table = sign_in(teacher).get(reverse("admin:bookings_payment_export")).content.decode()

    [line] = csv.DictReader(table.splitlines(), delimiter=";")
    assert line["Oferta"] == "Preparación de examen"


def test_a_plain_class_names_no_offer(host):
    booked = VirtualClassFactory(booked_by=host, scheduled=True)
    notice = Notice(user=host, virtual_class=booked, kind=NoticeKind.CONFIRMATION)

    assert MAILS[NoticeKind.CONFIRMATION].facts[0].find_text(notice) == ""


def test_the_same_kind_is_booked_again_by_its_key(host):
    booked = VirtualClassFactory(booked_by=host, offer=make_offer())

    assert f"oferta={KEY}&min=60" in rebook_url(booked)


# --- Elsewhere ------------------------------------------------------------------------------------


def test_the_front_page_shows_the_offers_that_are_listed(client):
    make_trial(text="Nos conocemos.")

    html = client.get("/").content.decode()

    assert "Una sola vez por persona." in html
    assert f"{PATH}?oferta=prueba234567&amp;min=30" in html
    assert "Nos conocemos." in html


def test_the_frame_of_another_site_may_show_an_offer_s_times(client):
    make_offer(is_listed=False)

    html = client.get("/horarios/embebido", {"oferta": KEY}).content.decode()

    assert "Preparación de examen · 60" in html
    assert f"oferta={KEY}&amp;min=60" in html
