"""The switch of the language, and the page without a connection."""

import re
import time
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.demo.people import ANA
from tests.journeys.steps import sign_in, sign_in_as_newcomer
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


LISTED = """async () => {
    const names = await caches.keys();
    const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return lists.flat().map(({ url }) => new URL(url).pathname);
}"""

IS_ENGLISH = "async () => (await caches.keys()).every((name) => name.endsWith('-en'))"
IS_ACTIVE = "async () => Boolean((await navigator.serviceWorker.getRegistration())?.active)"
PATIENCE_SECONDS = 10


def wait_until(page: Page, question: str) -> None:
    """Ask the page until it says yes; a promise that stays open would wait for ever."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not page.evaluate(question):
        assert time.monotonic() < end, question
        page.wait_for_timeout(100)


@pytest.fixture
def page(new_page) -> Page:
    """A page of a student whose browser keeps the offline page."""
    page = new_page(service_workers="allow", watch_console=False)
    sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
    page.goto("/inicio")
    wait_until(page, IS_ACTIVE)
    page.goto("/inicio/clases")  # through the worker by now
    return page


@on_a("phone")
def test_the_network_is_cut_and_comes_back(page):
    page.context.set_offline(True)
    page.goto("/inicio/clases")
    expect(page.get_by_role("heading", name="No hay conexión")).to_be_visible()
    assert page.evaluate("() => getComputedStyle(document.body).margin") == "0px"

    page.context.set_offline(False)
    page.get_by_role("link", name="Probar de nuevo").click()
    expect(page.get_by_role("heading", name="Mis clases")).to_be_visible()


@on_a("phone")
def test_the_next_class_and_its_link_are_there_without_a_connection(new_page):
    page = new_page(service_workers="allow", watch_console=False)
    sign_in(page, ANA)
    page.goto("/inicio")
    wait_until(page, IS_ACTIVE)
    page.goto("/inicio")  # through the worker by now

    page.context.set_offline(True)
    page.goto("/inicio/clases")

    expect(page.get_by_role("heading", name="Tu próxima clase")).to_be_visible()
    expect(page.get_by_role("link", name="Entrar a la clase")).to_have_attribute(
        "href", re.compile("https://meet.google.com/")
    )


@on_a("phone")
def test_the_page_follows_the_language(page):
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    wait_until(page, IS_ENGLISH)
    page.context.set_offline(True)

    page.reload()

    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()


@on_a("phone")
def test_the_browser_keeps_no_page_of_a_person(page):
    kept = page.evaluate(LISTED)

    assert kept == [
        "/sin-conexion",
        "/static/css/base.css",
        "/static/css/offline.css",
        "/static/js/next-class.js",
    ]
