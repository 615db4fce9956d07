"""The way to the checkout, by addresses that hold the choice."""

import re
from datetime import date, timedelta

from django.utils import timezone
from holidays import country_holidays
from playwright.sync_api import Page, expect

from tests.journeys.steps import pay, sign_in_as_newcomer

HOLIDAYS = country_holidays("AR")


def weekday_ahead(days: int) -> date:
    """Give the first working day in Argentina that is so far ahead, or a little later."""
    day = timezone.localdate() + timedelta(days=days)
    return day if HOLIDAYS.is_working_day(day) else HOLIDAYS.get_nth_working_day(day, 1)


def choose_time(page: Page, day: date, *, kind: str = "grupal", minutes: int = 60) -> None:
    """Keep the first free time of a day, or of the next one that has any."""
    address = f"/inicio/reservar?tipo={kind}&min={minutes}"
    page.goto(f"{address}&dia={day.isoformat()}")
    if not page.locator(".slot").count():
        page.locator(".times-none a").click()
    free_day = page.locator("form.times input[name=dia]").get_attribute("value")
    clock = page.locator(".slot input").first.get_attribute("value")
    # The address holds the choice, with scripts and without.
    page.goto(f"{address}&dia={free_day}&hora={clock}")
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("heading", name="Los detalles de tu clase")).to_be_visible()


def go_to_checkout(page: Page, day: date, *, people: int = 3) -> None:
    """Book a group class and end at the provider's checkout."""
    choose_time(page, day)
    page.get_by_role("radio", name=re.compile(f"^{people} ")).check()
    page.get_by_label("¿Qué te gustaría practicar?").fill("Travel")
    page.get_by_role("button", name="Pagar con Mercado Pago").click()
    expect(page).to_have_title(re.compile("Mercado Pago"))


def at_checkout(page: Page, choice: str) -> None:
    """Press one of the checkout's buttons, which leads back to us."""
    page.get_by_role("button", name=re.compile(choice)).click()


def book_and_pay(page: Page, email: str, days: int) -> str:
    """Have a paid group of three, of a newcomer's own; end at its page and give its code."""
    sign_in_as_newcomer(page, email)
    go_to_checkout(page, weekday_ahead(days))
    pay(page)
    return (page.get_by_test_id("access-code").text_content() or "").strip()
