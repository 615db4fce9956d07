"""A student pays by transfer, and the teacher says that it came: on phones, with counted taps."""

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.demo.people import TEACHER
from tests.journeys.booking import choose_time, weekday_ahead
from tests.journeys.steps import sign_in, sign_in_as_newcomer
from tests.journeys.test_few_taps import Thumb
from tests.journeys.ways import in_two_ways, on_a

pytestmark = pytest.mark.browser


def announce(page: Page, thumb: Thumb, number: str) -> None:
    """From the details of a held time to an announced transfer."""
    thumb.tap(page.get_by_role("button", name="Pagar por transferencia"))
    expect(page.get_by_text("clases.con.paula")).to_be_visible()
    thumb.tap(page.get_by_label("Número de operación"))
    page.keyboard.type(number)
    thumb.tap(page.get_by_role("button", name="Ya transferí"))
    expect(page.get_by_text("Transferencia avisada").first).to_be_visible()


@on_a("phone")
def test_announced_in_three_taps_and_confirmed_in_three(new_page):
    student, teacher = new_page(), new_page()
    sign_in_as_newcomer(student, f"{uuid.uuid4().hex}@example.com")
    choose_time(student, weekday_ahead(15), kind="individual")
    number, students_thumb = str(uuid.uuid4().int)[:12], Thumb()

    announce(student, students_thumb, number)

    sign_in(teacher, TEACHER)
    teacher.goto("/admin/")
    thumb = Thumb()
    thumb.tap(teacher.get_by_role("link", name=re.compile("por confirmar")))
    card = teacher.locator(".card", has_text=number)
    thumb.tap(card.get_by_role("link", name=re.compile("^Llegó")))
    thumb.tap(teacher.get_by_role("button", name="Sí, llegó"))
    expect(teacher.get_by_text("confirmada, y la clase quedó agendada")).to_be_visible()
    student.reload()
    expect(student.get_by_text("Confirmada").first).to_be_visible()
    assert (students_thumb.taps, thumb.taps) == (3, 3)


@in_two_ways
def test_a_wrong_number_is_said_where_it_is_typed(new_page, javascript):
    page = new_page(javascript=javascript)
    sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
    choose_time(page, weekday_ahead(16 if javascript else 17), kind="individual")
    page.get_by_role("button", name="Pagar por transferencia").click()

    page.get_by_label("Número de operación").fill("12")
    page.get_by_role("button", name="Ya transferí").click()

    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_label("Número de operación")).to_have_value("12")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@on_a("phone")
def test_the_alias_is_copied_with_a_tap(new_page):
    page = new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
    choose_time(page, weekday_ahead(18), kind="individual")
    page.get_by_role("button", name="Pagar por transferencia").click()

    page.get_by_role("button", name="Copiar").first.click()

    expect(page.get_by_role("button", name="¡Copiado!")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "clases.con.paula"


@on_a("phone")
def test_both_ways_stand_side_by_side(new_page):
    page = new_page()
    sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
    choose_time(page, weekday_ahead(19), kind="individual")
    page.get_by_role("button", name="Pagar con Mercado Pago").click()
    expect(page).to_have_title(re.compile("Mercado Pago"))
    page.goto("/inicio/clases")
    page.get_by_role("link", name=re.compile("Clase individual")).first.click()

    page.get_by_text("O pagar por transferencia").click()
    page.get_by_role("button", name="Guardame el horario para transferir").click()

    expect(page.get_by_text("Te guardamos el horario para que transfieras.")).to_be_visible()
    expect(page.get_by_role("link", name="Pagar con Mercado Pago")).to_be_visible()
