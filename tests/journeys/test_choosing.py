"""Choosing a time with scripts: parts of the page change, and nobody gets lost."""

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.demo.people import BRUNO
from tests.journeys.steps import (
    BOOK,
    choose_day,
    choose_kind,
    choose_time,
    keep_a_time,
    sign_in,
    sign_in_as_newcomer,
)
from tests.journeys.ways import on_a

pytestmark = pytest.mark.browser


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.id")


def test_choosing_loads_no_page(new_page):
    page = new_page()
    page.goto(BOOK)
    documents = []
    page.on("request", lambda one: one.is_navigation_request() and documents.append(one.url))

    choose_kind(page, "Grupal")
    choose_day(page, 3)
    choose_time(page)

    expect(page.locator("#summary")).to_contain_text("Grupal")
    expect(page).to_have_url(
        re.compile(r"tipo=grupal&min=60&dia=\d{4}-\d\d-\d\d&hora=\d\d%3A\d\d$")
    )
    assert documents == []


def test_the_focus_follows_what_was_chosen(new_page):
    page = new_page()
    page.goto(BOOK)

    choose_kind(page, "Grupal")
    after_type = focused(page)
    choose_day(page, 3)
    expect(page.locator("#horarios")).to_be_focused()

    assert after_type == "tipo-grupal"


@on_a("phone")
def test_a_screen_reader_hears_how_many_times_there_are(new_page):
    page = new_page()
    page.goto(BOOK)

    day = choose_day(page, 2)

    expect(page.get_by_role("status")).to_have_text(re.compile(rf"{day}: \d+ horarios? libres?\."))


@on_a("phone")
def test_no_hour_shines_through_the_bar_while_the_answer_is_on_its_way(new_page):
    page = new_page()
    page.goto(BOOK)
    page.wait_for_function("window.htmx")
    waiting = []
    page.route("**/inicio/reservar?*", lambda route: waiting.append(route))

    choose_time(page)

    bar = page.locator("#summary")
    expect(bar).to_have_class(re.compile("htmx-request"))
    expect(bar.locator("p")).to_have_css("opacity", "0.6")
    expect(bar).to_have_css("opacity", "1")
    waiting[0].continue_()


@on_a("phone")
def test_no_time_of_another_kind_is_kept_before_htmx_is_there(new_page):
    page = new_page(watch_console=False)
    sign_in(page, BRUNO)
    page.route(re.compile(r"/htmx[^/]*\.js"), lambda route: route.abort())
    page.goto(BOOK)

    page.get_by_role("radio", name="Grupal").check()
    choose_time(page)
    page.get_by_role("button", name="Continuar").click()

    page.wait_for_url(re.compile(r"/inicio/reservar\?tipo=grupal&"))
    expect(page.locator("#when input[name=tipo]")).to_have_value("grupal")


@on_a("desk")
def test_going_back_restores_the_choice(new_page):
    page = new_page()
    page.goto(BOOK)
    first = choose_day(page, 1)
    choose_day(page, 0, but=first)

    page.go_back()

    expect(page.get_by_role("heading", name=re.compile(first, re.IGNORECASE))).to_be_visible()
    expect(page.locator("[aria-current=date]")).to_have_attribute("aria-label", re.compile(first))


@on_a("desk")
def test_going_back_before_htmx_is_there_restores_the_choice(new_page):
    page = new_page(watch_console=False)
    page.goto(BOOK)
    choose_kind(page, "Grupal")
    page.route("**/htmx-2.min*", lambda route: route.abort())
    page.reload()

    page.go_back()

    expect(page.get_by_role("radio", name="Individual")).to_be_checked()


def test_a_class_is_booked_by_keyboard_alone(new_page):
    page = new_page()
    sign_in(page, BRUNO)
    page.goto(BOOK)

    page.get_by_role("radio", name=re.compile("Individual")).focus()
    press(page, "ArrowDown")  # the next type
    expect(page).to_have_url(re.compile("tipo=grupal"))
    press(page, "ArrowUp")
    expect(page).to_have_url(re.compile("tipo=individual"))
    while not page.locator(".day-free:focus").count():  # a holiday may come before it
        press(page, "Tab")
    press(page, "Enter")  # the first free day
    expect(page.locator("#horarios")).to_be_focused()
    press(page, "Tab", "Space")  # its first time
    expect(page.locator("input[name=hora]:checked")).to_have_count(1)
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Los detalles de tu clase")).to_be_visible()

    page.get_by_label(re.compile("¿Qué te gustaría practicar?")).focus()
    page.keyboard.type("Keyboards")
    press(page, "Tab", "Tab", "Tab", "Enter")  # past the folds of the discount code and the terms
    expect(page).to_have_title(re.compile("Mercado Pago"))


@on_a("phone")
def test_a_visitor_from_elsewhere_sees_their_own_time_as_well(new_page):
    page = new_page(timezone_id="Asia/Kolkata")  # 8 h 30 min ahead all year
    page.goto(BOOK)

    slot = page.locator(".slot").first
    expect(slot).to_have_text(re.compile("tu hora"))
    here, there = re.findall(r"(\d\d):(\d\d)", slot.inner_text())

    ahead = [int(clock[0]) * 60 + int(clock[1]) for clock in (here, there)]
    assert (ahead[1] - ahead[0]) % (24 * 60) == 8 * 60 + 30


@on_a("phone")
def test_days_and_first_times_fit_on_the_first_screen(new_page):
    page = new_page()

    page.goto(BOOK)

    for part in ("#tipo-grupal + .pill-title", "#lengths .pill >> nth=-1", ".day-free >> nth=-1"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    expect(page.locator(".slot").first).to_be_in_viewport(ratio=1)
    expect(page.locator("#summary")).to_be_hidden()
    page.locator(".slot").first.click()
    expect(page.get_by_role("button", name="Continuar")).to_be_in_viewport(ratio=1)


@on_a("phone")
@pytest.mark.parametrize("height", [360, 512], ids=["low", "lower than a phone"])
def test_a_zoomed_page_keeps_two_thirds_of_the_screen(new_page, height):
    """A screen of 1,280 pixels at 200 % has 640 of CSS."""
    page = new_page()
    sign_in(page, BRUNO)
    page.set_viewport_size({"width": 640, "height": height})
    page.goto(BOOK)
    choose_time(page)
    expect(page.locator("#summary time")).to_be_visible()

    page.mouse.wheel(0, 300)
    stuck = page.evaluate("""() => [...document.querySelectorAll("body *")]
        .filter((one) => ["fixed", "sticky"].includes(getComputedStyle(one).position))
        .filter((one) => one.checkVisibility())
        .reduce((sum, one) => sum + one.getBoundingClientRect().height, 0)""")

    assert stuck <= height / 3


@on_a("phone")
def test_a_time_that_goes_while_one_looks_is_said_to_be_gone_beside_the_others(new_page):
    page, other = new_page(), new_page()
    sign_in_as_newcomer(other, f"{uuid.uuid4().hex}@example.com")
    page.goto(BOOK)
    choose_day(page, 8)
    keep_a_time(other, "Individual", 8)

    page.locator(".slot").first.click()

    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("Ese horario se acaba de ocupar")
    expect(notice).to_be_focused()
    expect(notice).to_be_in_viewport(ratio=1)
    expect(page.locator(".slot").first).to_be_in_viewport(ratio=1)


@on_a("phone")
def test_a_time_that_runs_out_says_so(new_page):
    page = new_page()
    page.clock.install()
    sign_in(page, BRUNO)
    page.goto(BOOK)
    choose_day(page, 4)
    choose_time(page, 1)
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"1[45]:\d\d"))  # by the script

    page.clock.run_for("05:00")
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"(9|10):\d\d"))
    page.clock.run_for("11:00")

    expect(page.get_by_role("heading", name="Se venció el tiempo")).to_be_visible()
    expect(page.get_by_role("button", name="Pagar con Mercado Pago")).to_be_hidden()
    page.get_by_role("link", name="Elegir de nuevo").click()
    expect(page.locator("input[name=hora]:checked")).to_have_count(1)


@on_a("desk")
def test_when_the_network_fails_the_whole_page_says_so(new_page):
    page = new_page(watch_console=False)
    page.goto(BOOK)
    page.route("**/inicio/reservar?*", lambda route: route.abort(), times=1)

    page.get_by_role("radio", name=re.compile("Grupal")).check()

    expect(page.get_by_role("heading", name="Reservá tu clase")).to_be_visible()
    page.wait_for_url(re.compile("tipo=grupal"))
    expect(page.locator("#tipo-grupal")).to_be_checked()
