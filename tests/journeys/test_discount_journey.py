"""A newcomer types a discount code, sees what it takes off, and pays just that."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.booking import choose_time, weekday_ahead
from tests.journeys.steps import sign_in_as_newcomer
from tests.journeys.ways import in_the_other_two_ways, in_two_ways

pytestmark = pytest.mark.browser


def start(new_page, javascript, email, days):
    page = new_page(javascript=javascript)
    sign_in_as_newcomer(page, email)
    choose_time(page, weekday_ahead(days))
    page.locator(".form-more summary").click()
    return page


def pay(page):
    page.get_by_role("button", name="Pagar con Mercado Pago").click()


@in_two_ways
def test_a_discount_is_seen_and_then_paid(new_page, width, javascript):
    page = start(new_page, javascript, f"descuento{width}@example.com", days=9)
    page.get_by_label("Código de descuento").fill("bien-venida")
    page.get_by_role("button", name="Aplicar").click()

    expect(page.get_by_role("heading", name="Aplicamos tu código")).to_be_visible()
    expect(page.locator("[data-total]")).to_have_text("$\xa021.600")
    expect(page.locator("[data-total-before]")).to_have_text("$\xa024.000")
    if javascript:
        page.get_by_role("radio", name=re.compile("^4 ")).check()
        expect(page.locator("[data-total]")).to_have_text("$\xa032.400")
        expect(page.locator("[data-total-before]")).to_have_text("$\xa036.000")
        page.get_by_role("radio", name=re.compile("^2 ")).check()
    pay(page)

    expect(page).to_have_title(re.compile(r"21\.600.*Mercado Pago"))


@in_the_other_two_ways
def test_enter_in_the_code_charges_nothing_unseen(new_page, width, javascript):
    page = start(new_page, javascript, f"enter{width}@example.com", days=10)
    page.get_by_label("Código de descuento").fill("nada")
    page.get_by_label("Código de descuento").press("Enter")

    expect(page.get_by_text("Ese código no existe, ya se usó o ya no vale.").first).to_be_visible()
    page.get_by_label("Código de descuento").fill("bienvenida")
    pay(page)  # without applying it

    expect(page.get_by_role("heading", name="Aplicamos tu código")).to_be_visible()
    expect(page.locator("[data-total]")).to_have_text("$\xa021.600")
