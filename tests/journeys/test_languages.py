"""The switch in the header, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.steps import sign_in_as_newcomer
from tests.journeys.ways import in_the_other_two_ways, on_a

pytestmark = pytest.mark.browser


@in_the_other_two_ways
def test_the_language_is_switched_on_the_page_and_remembered(new_page, javascript):
    page = new_page(javascript=javascript)
    page.goto("/inicio/reservar?tipo=grupal&min=60")
    page.get_by_role("link", name=re.compile("horarios? libres?")).last.click()
    page.wait_for_url(re.compile("dia="))
    chosen = page.url

    page.get_by_role("button", name="English").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Book your class")
    assert page.url.partition("#")[0] == chosen.partition("#")[0]
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("button", name="Español").click()
    expect(page.locator("html")).to_have_attribute("lang", "es-ar")


@on_a("phone")
def test_what_was_typed_is_still_there_in_the_other_language(new_page):
    page = new_page()
    sign_in_as_newcomer(page, "switches@example.com")
    page.goto("/inicio/perfil")
    page.get_by_label("Localidad").fill("Rosario")
    page.get_by_label("Nivel").select_option("basico")
    page.get_by_label("Sí").check()

    page.locator("header").get_by_role("button", name="English").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Your profile")
    expect(page.locator("[name=location]")).to_have_value("Rosario")
    expect(page.locator("[name=level]")).to_have_value("basico")
    expect(page.locator("[name=newsletter][value=si]")).to_be_checked()
    assert page.evaluate("sessionStorage.length") == 0
