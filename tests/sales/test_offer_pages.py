"""Offers on the pages: chosen, seen, booked, and named afterwards."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from bookings.domain.people.personal_data import export_person
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassType, Hold, Notice, NoticeKind, VirtualClass
from bookings.notices.registry import MAILS
from bookings.notices.rendering import render_mail
from bookings.pages.booking import details_url
from tests.factories import VirtualClassFactory
from tests.pages.moments import tuesday
from tests.pages.test_choosing import chosen_in, times_in
from tests.pages.texts import text_of
from tests.sales.offers import KEY, make_offer, make_trial

PATH = "/inicio/reservar"
WHEN = {"dia": "2026-11-24", "hora": "10:00"}
OVER = "Esa clase ya no se ofrece."

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("agenda")]


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


@pytest.mark.parametrize("key", [KEY, "nadienadie22", "\x00", "x" * 300], ids=repr)
def test_an_offer_that_is_over_says_so_and_shows_the_others(client, key):
    make_offer(is_active=False)

    page = client.get(PATH, {"oferta": key})

    assert OVER in text_of(page)
    assert chosen_in(page.content.decode())[:2] == ["individual", "60"]


def test_a_time_of_an_offer_is_held_with_it(host, sign_in):
    offer = make_offer()

    response = sign_in(host).post(PATH, {"tipo": KEY, "min": "60", **WHEN})

    hold = Hold.objects.get()
    assert (hold.offer, hold.minutes) == (offer, 60)
    assert parse_qs(urlsplit(response["Location"]).query)["oferta"] == [KEY]


# --- In English -----------------------------------------------------------------------------------


def languages_in(page, *texts):
    """Give the ``lang`` of the element that holds each text alone; empty without one."""
    tags = [re.search(rf"<(\w+[^>]*)>\s*{re.escape(text)}\s*</", page)[1] for text in texts]
    return ["".join(re.findall(r'\blang="([^"]*)"', tag)) for tag in tags]


def test_an_english_page_has_the_english_name_and_text(client):
    client.cookies["language"] = "en"
    spanish = {"name": "Preparación de examen", "text": "Simulacros con tiempo."}
    offer = make_offer(**spanish, name_en="Exam preparation", text_en="Timed mock exams.")

    page = text_of(client.get(PATH, {"tipo": offer.key}))

    assert languages_in(page, "Exam preparation", "Timed mock exams.") == ["", ""]
    assert [text for text in spanish.values() if text in page] == []


def test_the_english_first_page_names_the_offer_of_a_chosen_time_in_english(host, sign_in):
    type(host).objects.update(language="en")
    keep(host, make_offer(name_en="Exam preparation"))

    page = text_of(sign_in(host).get("/inicio"))

    assert "Exam preparation · 60 min." in page
    assert "Preparación de examen" not in page


def test_an_english_page_has_the_spanish_name_and_text_where_she_wrote_no_other(client):
    client.cookies["language"] = "en"
    offer = make_offer(text="Simulacros con tiempo.")

    page = text_of(client.get(PATH, {"tipo": offer.key}))

    assert languages_in(page, "Preparación de examen", "Simulacros con tiempo.") == ["es", "es"]


# --- Once per person ------------------------------------------------------------------------------


def test_a_trial_class_is_offered_until_the_student_had_it(host, sign_in, client):
    trial = make_trial()
    browser = sign_in(host)
    before = text_of(browser.get(PATH))

    check_out_hold(user=host, hold_id=keep(host, trial, 30).pk, students_count=1)

    assert "Clase de prueba" in before
    assert "Clase de prueba" not in text_of(browser.get(PATH))
    assert "Clase de prueba" in text_of(client.get(PATH))


# --- The details ----------------------------------------------------------------------------------


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


def test_english_pages_and_mails_name_it_in_english_and_her_panel_in_spanish(
    host, teacher, sign_in
):
    type(host).objects.update(language="en")
    host.refresh_from_db()
    offer = make_offer(name_en="Exam preparation")
    booked = VirtualClassFactory(booked_by=host, offer=offer, scheduled=True)
    notice = Notice(user=host, virtual_class=booked, kind=NoticeKind.CONFIRMATION)

    told = [
        render_mail(notice).body,
        text_of(sign_in(host).get(reverse("bookings:class", args=[booked.pk]))),
        text_of(sign_in(host).get("/inicio/clases")),
    ]
    sheet = text_of(sign_in(teacher).get(reverse("admin:class_sheet", args=[booked.pk])))

    assert ["Exam preparation" in text for text in told] == [True] * 3
    assert ["Preparación de examen" in text for text in [*told, sheet]] == [False] * 3 + [True]
