"""What people do on the pages, step by step."""

import re

from playwright.sync_api import APIRequestContext, Page, expect

from tests.demo.people import DemoPerson

BOOK = "/inicio/reservar"


def sign_in(page: Page, person: DemoPerson) -> None:
    """Sign one of the demo's people in; the page stays where it is."""
    sign_in_over_http(page.context.request, person.provider, person.email)


def sign_in_as_newcomer(page: Page, email: str) -> None:
    """Sign in somebody whom nobody knows yet, so that a journey meets nobody else's classes."""
    sign_in_over_http(page.context.request, "google", email)


def sign_in_over_http(http: APIRequestContext, provider: str, email: str) -> None:
    """Sign in as a client of the API does: through the provider, but drawing none of the pages.

    http: of a browser's context, which keeps the session. ``identify`` is the way by clicks.
    """
    token = http.get("/api/auth/csrf").json()["csrfToken"]
    start = http.post(
        f"/api/auth/signin/{provider}", form={"csrfToken": token, "json": "true"}
    ).json()
    consent = http.post(start["url"], form={"email": email}, max_redirects=0)
    back = http.get(consent.headers["location"], max_redirects=0)
    assert back.headers["location"].endswith(("/inicio", "/admin/entrar/"))


def identify(page: Page, provider: str, person: str) -> None:
    """Say who one is, from any page that asks."""
    page.get_by_role("button", name=re.compile(provider)).click()
    page.get_by_role("button", name=re.compile(person)).click()


def choose_kind(page: Page, kind: str) -> None:
    """Choose a type of class; without scripts a button shows its times."""
    radio = page.get_by_role("radio", name=re.compile(kind))
    if radio.is_checked():
        return
    radio.check()
    show = page.get_by_role("button", name="Ver los horarios")
    if show.is_visible():
        show.click()
    expect(page).to_have_url(re.compile(f"tipo={kind.lower()}"))


def choose_day(page: Page, number: int, *, but: str = "") -> str:
    """Choose the free day of a number, counted from the first one; return its name.

    Late in a month the days that are left may be too few: then it is one of the next month.
    but: the name of a day that does not count.
    """
    days = page.locator("a.day-free")
    expect(page.locator("#month-title")).to_be_visible()
    if but:
        days = page.locator(f"a.day-free:not([aria-label^='{but}' i])")
    in_month = days.count()
    if number >= in_month:
        month = page.locator("#month-title").inner_text()
        page.locator("#month-following").click()
        expect(page.locator("#month-title")).not_to_have_text(month)
        number -= in_month
    name = days.nth(number).get_attribute("aria-label").split(",")[0].strip()
    days.nth(number).click()
    # Scripts move the focus there, and without them the address does.
    times = page.locator("#horarios:focus, #horarios:target")
    expect(times).to_contain_text(name, ignore_case=True)
    return name


def choose_time(page: Page, number: int = 0) -> str:
    """Choose one of the day's times; return it."""
    slot = page.locator("input[name=hora]").nth(number)
    slot.check()
    return slot.get_attribute("value")


def keep_a_time(page: Page, kind: str, day: int) -> None:
    """Go from the first page of booking to its details."""
    page.goto(BOOK)
    choose_kind(page, kind)
    choose_day(page, day)
    choose_time(page)
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("heading", name="Los detalles de tu clase")).to_be_visible()


def book(page: Page, kind: str, day: int) -> None:
    """Book a class, up to the checkout."""
    keep_a_time(page, kind, day)
    page.get_by_role("button", name="Pagar con Mercado Pago").click()
    expect(page).to_have_title(re.compile("Mercado Pago"))


def pay(page: Page) -> None:
    """Pay at the checkout, and go from the payment's page to the class."""
    page.get_by_role("button", name=re.compile("^Aprobar")).click()
    done = page.get_by_role("link", name="Ver mi clase")
    # News of a payment take a moment: the page looks by itself, or is asked to.
    for _ in range(10):
        again = page.get_by_role("link", name="Actualizar")
        if done.is_visible() or not again.is_visible():
            break
        page.wait_for_timeout(1_500)
        if not done.is_visible():
            again.click()
    done.click()
