"""The teacher writes her page, beside its view."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.demo.people import TEACHER
from tests.demo.teacher import PORTRAIT
from tests.journeys.axe import violations
from tests.journeys.steps import sign_in
from tests.journeys.ways import core_on_a_phone, on_a

pytestmark = pytest.mark.browser

NARROW = 360


def fits(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@on_a("desk")
def test_the_view_follows_what_she_types(new_page):
    page = new_page()
    sign_in(page, TEACHER)
    page.goto("/admin/pagina/")
    view = page.frame_locator("iframe[name=view-frame]")
    expect(view.locator("main")).to_be_visible()

    page.locator("[name=tagline]").fill("Una frase que nadie guardó.")
    expect(view.locator("main")).to_contain_text("Una frase que nadie guardó.")
    view.get_by_role("link", name="Ver los horarios").first.click()

    expect(view.locator("main")).to_contain_text("Una frase que nadie guardó.")
    expect(page.get_by_role("button", name="Ver cómo queda")).to_have_count(0)
    visitor = new_page()
    visitor.goto("/")
    expect(visitor.locator("main")).not_to_contain_text("Una frase que nadie guardó.")


@core_on_a_phone
def test_she_saves_a_photo_and_a_mistake_opens_the_page_at_its_reason(new_page, javascript):
    page = new_page(javascript=javascript)
    sign_in(page, TEACHER)
    page.goto("/admin/pagina/")
    photo = {"name": "yo.jpg", "mimeType": "image/jpeg", "buffer": PORTRAIT.read_bytes()}

    field = page.locator("input[type=file]")
    field.set_input_files({**photo, "buffer": b"no picture"})
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("No pudimos leer esa foto")
    field.set_input_files(photo)
    page.get_by_role("button", name="Guardar").click()

    expect(page.get_by_text("Listo: guardamos tu página.")).to_be_visible()
    face = page.get_by_role("img", name="Tu foto de ahora")
    assert face.evaluate("image => image.complete && image.naturalWidth") == 96


@pytest.mark.parametrize("width", [NARROW], indirect=True)
def test_axe_finds_nothing_on_the_editor(new_page):
    page = new_page(watch_console=False)
    sign_in(page, TEACHER)

    page.goto("/admin/pagina/")
    assert fits(page)
    assert violations(page) == []
    page.get_by_label("Video de presentación").fill("no address")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_role("alert")).to_contain_text(re.compile("Copiá la dirección"))

    assert violations(page) == []
