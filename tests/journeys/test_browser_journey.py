"""From stranger to a shared class, in a real browser, with and without JavaScript."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.demo.people import ANA, BRUNO
from tests.journeys.steps import (
    BOOK,
    book,
    choose_day,
    choose_kind,
    choose_time,
    identify,
    keep_a_time,
    pay,
    sign_in,
)
from tests.journeys.ways import core_without_scripts, on_a

pytestmark = pytest.mark.browser


@core_without_scripts
def test_a_class_is_booked_paid_and_shared(new_page, javascript):
    host, guest = new_page(javascript=javascript), new_page(javascript=javascript)

    # A stranger looks, chooses, and is asked to sign in only to go on.
    host.goto("/")
    host.get_by_role("link", name="Ver los horarios libres").first.click()
    choose_kind(host, "Grupal")
    day = choose_day(host, 2)
    clock = choose_time(host, 1)
    host.get_by_role("button", name="Continuar").click()
    identify(host, "Google", "Ana")

    # The sign-in leads on to the chosen time, which is kept by now.
    expect(host.get_by_text("Te guardamos este horario hasta las")).to_be_visible()
    weekday, number, _, month = day.split()[-4:]
    short = re.compile(f"{weekday[:3]} {number} {month[:3]}", re.IGNORECASE)
    expect(host.locator("#summary-title")).to_contain_text(short)
    expect(host.locator("#summary-title")).to_contain_text(clock)
    host.get_by_role("radio", name=re.compile("3 personas")).check()
    host.get_by_label(re.compile("¿Qué te gustaría practicar?")).fill("Travel")
    host.get_by_role("button", name="Pagar con Mercado Pago").click()

    pay(host)
    expect(host.get_by_role("link", name="Entrar a la clase")).to_have_attribute(
        "href", re.compile(r"^https://meet\.google\.com/")
    )
    shared = host.locator(".join-link").get_attribute("href")

    # The guest opens the link, signs in, and sees the class before joining it.
    guest.goto(shared)
    expect(guest.get_by_role("heading", name=re.compile("Te invitaron"))).to_be_visible()
    identify(guest, "GitHub", "Diego")
    expect(guest.get_by_text("Ya está pagada: sumarte no te cuesta nada.")).to_be_visible()
    expect(guest.get_by_text("Quedan 2 lugares de 3.")).to_be_visible()
    guest.get_by_role("button", name="Unirme a la clase").click()
    expect(guest.get_by_text("¡Listo! Ya estás en la clase.")).to_be_visible()
    expect(guest.get_by_role("link", name="Entrar a la clase")).to_be_visible()
    expect(guest.get_by_test_id("access-code")).to_have_count(0)

    host.reload()
    expect(host.get_by_text("Diego Díaz")).to_be_visible()


@on_a("phone")
def test_a_code_is_typed_as_people_do(new_page):
    host, guest = new_page(), new_page()
    sign_in(host, BRUNO)
    book(host, "Grupal", 5)
    pay(host)
    code = host.get_by_test_id("access-code").inner_text()

    sign_in(guest, ANA)
    guest.goto("/inicio/unirse")
    guest.get_by_role("textbox", name="Código de acceso").fill(f" {code[:4]}-{code[4:]}".lower())
    guest.get_by_role("button", name="Ver la clase").click()
    guest.get_by_role("button", name="Unirme a la clase").click()

    expect(guest.get_by_text("¡Listo! Ya estás en la clase.")).to_be_visible()


@on_a("desk")
def test_a_kept_time_is_offered_to_nobody_else_until_it_is_let_go(new_page):
    holder, other = new_page(), new_page()
    sign_in(holder, BRUNO)
    keep_a_time(holder, "Individual", 6)

    other.goto(f"{BOOK}?{urlsplit(holder.url).query}")
    expect(other.get_by_text("Ese horario se acaba de ocupar")).to_be_visible()
    holder.get_by_role("button", name="Cambiar el horario").click()
    expect(holder.locator("input[name=hora]:checked")).to_have_count(1)
    other.reload()
    expect(other.locator("input[name=hora]:checked")).to_have_count(1)
