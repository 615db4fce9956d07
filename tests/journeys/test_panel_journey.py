"""The teacher at her panel, on a phone and at a desk: steps that ask, forms that refuse, lists."""

import re
import uuid

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.demo.people import TEACHER
from tests.journeys.booking import weekday_ahead
from tests.journeys.steps import sign_in, sign_in_as_newcomer
from tests.journeys.ways import PHONE, in_two_ways

pytestmark = pytest.mark.browser

CLASSES = "/admin/bookings/virtualclass/"
NARROW = 360
# The cells that a phone leaves out: of no step, and without a value.
LEFT_OUT = ":is(.field-next_step:not(:has(a)), [data-empty])"
LISTS = [
    CLASSES,
    "/admin/bookings/price/",
    "/admin/bookings/payment/",
    "/admin/bookings/payment/meses/",
    "/admin/bookings/notice/",
    "/admin/accounts/user/",
]


def open_first(page: Page, query: str) -> None:
    """Open the first class of the list."""
    page.goto(f"{CLASSES}?{query}")
    page.locator("#result_list tbody th a").first.click()


def expect_to_open_at(alert: Locator, page: Page) -> None:
    """Expect the page to show its error, with the focus on it, without a scroll by hand."""
    expect(alert).to_be_focused()
    expect(alert).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_two_ways
def test_a_refused_move_opens_at_its_reason(new_page, javascript):
    page = new_page(javascript=javascript)
    sign_in(page, TEACHER)
    open_first(page, "status__exact=scheduled")
    page.get_by_role("link", name="Cambiar el horario").click()
    page.get_by_role("button", name="Ver qué va a pasar").click()

    expect_to_open_at(page.get_by_role("alert"), page)
    expect(page.get_by_role("alert")).to_contain_text("Elegí una hora.")


@in_two_ways
def test_a_refused_form_opens_at_its_errors(new_page, javascript):
    """A form of Django's for a new row, one for a row that is there, and one of ours."""
    page = new_page(javascript=javascript)
    sign_in(page, TEACHER)

    page.goto("/admin/bookings/price/add/")
    page.locator("[name=_save]").click()
    expect_to_open_at(page.get_by_role("alert"), page)
    page.goto("/admin/bookings/price/")
    page.locator("#result_list a").last.click()
    page.locator("[name=valid_until]").fill("2001-01-01")
    page.locator("[name=_save]").click()
    expect_to_open_at(page.get_by_role("alert"), page)
    page.goto("/admin/bookings/weeklyhours/")
    page.locator("[name='6-0-start']").fill("10:00")
    page.get_by_role("button", name="Guardar la semana").click()
    expect_to_open_at(page.get_by_role("alert").first, page)


@pytest.mark.parametrize("width", [NARROW, PHONE], indirect=True)
def test_the_panel_s_lists_fit_a_phone(new_page, width):
    """No list is wider than the screen: names, prices and sums are seen without a sideways move."""
    page = new_page()
    sign_in(page, TEACHER)
    too_wide = """cells => cells.filter(one => {
        const box = one.getBoundingClientRect();
        return box.width === 0 || box.right > innerWidth + 1 || box.left < 0;
    }).map(one => one.outerHTML)"""
    found = []

    for address in LISTS:
        page.goto(address)
        cells = page.locator("#result_list tbody :is(th, td), .cards tbody :is(th, td)")
        cells = cells.and_(page.locator(f":not({LEFT_OUT})"))
        assert cells.count() > 0 or "notice" in address or address.endswith("payment/")
        found += cells.evaluate_all(too_wide)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address

    assert found == []


@in_two_ways
def test_a_time_that_was_lost_is_told_where_the_page_opens(new_page, javascript):
    """Two students choose one time; the second one's page opens at the message."""
    first, second = new_page(), new_page(javascript=javascript)
    day = weekday_ahead(24)  # no other test books on it; around holidays several tests share a day
    address = f"/inicio/reservar?tipo=individual&min=60&dia={day}"
    for page in (first, second):
        sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
        page.goto(address)
        page.locator("input[name=hora]").last.check()
    if javascript:
        expect(second).to_have_url(re.compile("hora="))

    first.locator("#summary button").click()
    expect(first.get_by_role("timer")).to_be_visible()
    second.locator("#summary button").click()

    expect(second.get_by_role("alert")).to_contain_text("Ese horario se acaba de ocupar")
    expect_to_open_at(second.get_by_role("alert"), second)
