"""The switch in the header, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.ways import in_the_other_two_ways

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
