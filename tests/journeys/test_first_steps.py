"""The teacher begins with nothing: her own page, with hours and prices, in a few answers."""

import time

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.demo.people import TEACHER
from tests.journeys.axe import violations
from tests.journeys.steps import sign_in
from tests.running_demo import running_demo

pytestmark = [pytest.mark.browser, pytest.mark.core]

NARROW = 360
FITS = "document.documentElement.scrollWidth <= innerWidth"
MOST_ANSWERS = 8
MOST_SECONDS = 180


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, browser: Browser):
    """A demo without data, instead of the one that the journeys share."""
    with running_demo(tmp_path_factory.mktemp("empty"), "--empty") as address:
        yield address


@pytest.fixture
def answers():
    """Fill in a form, and keep what was answered."""
    given: list[str] = []

    def answer(field: Locator, value: str) -> None:
        field.fill(value)
        given.append(value)

    answer.given = given
    return answer


@pytest.mark.parametrize("width", [NARROW], indirect=True)
def test_from_nothing_to_a_page_with_hours_and_prices(new_page, answers):
    """Without scripts, which axe needs: it looks at the same pages in another window."""
    page, looking = new_page(javascript=False, watch_console=False), new_page()
    for window in (page, looking):
        sign_in(window, TEACHER)
    looking.goto("/admin/pagina/empezar/")
    assert violations(looking) == []
    began = time.monotonic()

    page.goto("/admin/")
    page.get_by_role("link", name="Para empezar").click()
    expect(page.get_by_role("heading", name="Para empezar")).to_be_visible()
    assert page.evaluate(FITS)
    answers(page.get_by_label("Tu nombre"), "Ana Suárez")
    answers(page.get_by_label("Qué enseñás"), "Guitarra")
    page.get_by_label("Viernes").uncheck()
    answers.given.append("lunes a jueves")
    answers(page.get_by_label("Desde"), "10:00")
    answers(page.get_by_label("Hasta", exact=True), "19:00")
    answers(page.get_by_label("Cuántos minutos dura una clase"), "45")
    answers(page.get_by_label("Precio de una clase individual"), "12.000")
    page.get_by_role("button", name="Publicar mi página").click()

    expect(page.get_by_role("heading", name="Tu página está lista")).to_be_visible()
    assert page.evaluate(FITS)
    shared = page.locator(".own-page-link a").get_attribute("href")
    assert len(answers.given) <= MOST_ANSWERS
    assert time.monotonic() - began < MOST_SECONDS
    looking.goto(page.url)
    assert violations(looking) == []

    visitor = new_page()
    visitor.goto(shared)
    expect(visitor.get_by_role("heading", level=1)).to_contain_text("Ana Suárez")
    expect(visitor.locator("main")).to_contain_text("Guitarra")
    expect(visitor.locator("main")).to_contain_text("12.000")
