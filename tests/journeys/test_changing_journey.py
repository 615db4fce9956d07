"""A class is moved, left and cancelled in the browser, with scripts and without."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.booking import book_and_pay
from tests.journeys.steps import choose_day, choose_time, sign_in_as_newcomer
from tests.journeys.ways import core_at_a_desk

pytestmark = pytest.mark.browser

# As the page of a class writes it: lunes 30 de noviembre.
DAY = re.compile(r"\w+ \d+ de \w+")


def see(page: Page, text: str) -> None:
    expect(page.get_by_text(text)).to_be_visible()


@core_at_a_desk
def test_a_class_is_moved_left_and_cancelled(new_page, width, javascript):
    host, guest = new_page(javascript=javascript), new_page(javascript=javascript)
    who = f"{'with' if javascript else 'without'}-{width}@example.com"
    code = book_and_pay(host, f"moves-{who}", days=9 if javascript else 12)
    sign_in_as_newcomer(guest, f"leaves-{who}")
    guest.goto(f"/inicio/unirse/{code}")
    guest.get_by_role("button", name=re.compile("^Unirme")).click()
    link = guest.get_by_role("link", name="Entrar a la clase").get_attribute("href")
    before = re.search(DAY, host.locator("main").inner_text())[0]

    # Moved: another day, and the link stays.
    host.get_by_role("link", name="Cambiar el horario").click()
    day = choose_day(host, 1, but=before)
    clock = choose_time(host)
    host.get_by_role("button", name="Continuar").click()
    see(host, "El enlace de la videollamada y el código siguen siendo los mismos.")
    host.get_by_role("button", name="Cambiar el horario").click()
    see(host, f"Listo: tu clase ahora es el {day} a las {clock}.")
    see(host, "Esta clase cambió de horario")
    guest.reload()
    expect(guest.locator(".bubble-day")).to_contain_text(day, ignore_case=True)
    expect(guest.get_by_role("link", name="Entrar a la clase")).to_have_attribute("href", link)

    # Left: the guest is out, the host stays.
    guest.get_by_role("link", name="Dejar mi lugar").click()
    guest.get_by_role("button", name="Sí, dejar mi lugar").click()
    see(guest, "Dejaste tu lugar.")
    host.reload()
    see(host, "Quedan 2 lugares:")

    # Cancelled: the money goes back.
    host.get_by_role("link", name="Cancelar la clase").click()
    expect(host.locator(".consequences")).to_contain_text("Te devolvemos $ 24.000")
    host.get_by_label("¿Por qué la cancelás?").fill("Me mudo")
    host.get_by_role("button", name="Sí, cancelar la clase").click()
    see(host, "Esta clase se canceló")
    host.get_by_role("link", name="Ver el pago").click()
    expect(
        host.get_by_role("heading", name=re.compile("^(Devuelto|Devolución en camino)"))
    ).to_be_visible()
