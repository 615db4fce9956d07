"""The teacher books for somebody without an account, who pays by the link and keeps the class.

On a phone of 360 px. A tap is a click on a link or a button; typing into a field is none, nor is
the picker of a date. Each target is 44 px high.
"""

import re
from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.demo.people import BRUNO, TEACHER
from tests.journeys.steps import identify, sign_in
from tests.journeys.ways import on_a

pytestmark = [pytest.mark.browser, on_a("phone")]

MOST_TAPS_OF_TEACHER, MOST_TAPS_OF_STUDENT = 4, 4
TARGET = 44
# A Sunday in summer, which no other journey books.
DAYS_AHEAD = 60


class Taps:
    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0
        page.set_viewport_size({"width": 360, "height": 780})

    def __call__(self, role: str, name: str) -> None:
        target = self.page.get_by_role(role, name=name).first
        target.wait_for()
        self.page.wait_for_load_state()  # a box without its style is lower
        box = target.bounding_box()
        assert box is not None, name
        assert box["height"] >= TARGET - 0.5, name
        target.click()
        self.count += 1


def book_and_send(page: Page, *, name: str, phone: str, hour: str) -> tuple[str, int]:
    """Book from the panel's first page on; return the link in the chat's text, and the taps."""
    sign_in(page, TEACHER)
    page.goto("/admin/")
    tap = Taps(page)
    tap("link", "Reservar para alguien")
    page.locator("#id_who").fill(name)
    page.locator("#id_phone").fill(phone)
    page.locator("#when").get_by_text("Otra").click()
    tap.count += 1
    page.locator("#id_day").fill(f"{timezone.localdate() + timedelta(days=DAYS_AHEAD)}")
    page.locator("#id_clock").fill(hour)
    with page.expect_request("https://wa.me/**") as chat:
        tap("button", "Reservar y mandar")
    number, _, text = chat.value.url.partition("?text=Hola")
    assert number == f"https://wa.me/{phone_digits(phone)}"
    [link] = re.findall(r"http\S+", unquote(text))
    return link, tap.count


def phone_digits(phone: str) -> str:
    return "549" + re.sub(r"\D", "", phone).removeprefix("0")


def test_from_the_panel_to_a_paid_class_and_into_an_account(new_page):
    link, taps = book_and_send(
        new_page(watch_console=False), name="Marta Ríos", phone="0351 555 0147", hour="10:00"
    )
    student = new_page()
    tap = Taps(student)
    student.goto(link)
    tap.count += 1  # on the link, in WhatsApp
    tap("button", "Pagar con Mercado Pago")
    tap("button", "Aprobar")

    expect(student.get_by_text("Tu clase está confirmada")).to_be_visible(timeout=30_000)
    assert student.url.startswith(link)
    expect(student.get_by_role("link", name="Entrar a la clase")).to_be_visible()
    assert taps <= MOST_TAPS_OF_TEACHER
    assert tap.count <= MOST_TAPS_OF_STUDENT

    identify(student, "Google", BRUNO.name)
    student.get_by_role("button", name="Es mía").click()
    expect(student.get_by_text("Listo: la clase está en tu cuenta.")).to_be_visible()

    stranger = new_page(watch_console=False)
    stranger.goto(link)
    expect(stranger.get_by_text("Esta clase ya está en una cuenta")).to_be_visible()
