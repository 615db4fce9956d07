"""A class is paid: in few taps, at the checkout, with a discount code, and by transfer."""

import re
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.demo.people import TEACHER
from tests.journeys.booking import at_checkout, choose_time, go_to_checkout, weekday_ahead
from tests.journeys.steps import sign_in, sign_in_as_newcomer
from tests.journeys.ways import in_the_other_two_ways, in_two_ways, on_a

pytestmark = pytest.mark.browser


class Thumb:
    """Touches the screen and counts."""

    def __init__(self) -> None:
        self.taps = 0

    def tap(self, target: Locator) -> None:
        self.taps += 1
        target.click()


@pytest.mark.core
@on_a("phone")
def test_from_the_front_page_to_a_paid_class_in_eight_taps(new_page):
    page, thumb = new_page(), Thumb()
    page.goto("/")

    thumb.tap(page.get_by_role("link", name="Ver los horarios").first)
    thumb.tap(page.locator("a.day-free").last)  # late in a month there are few
    expect(page.locator("#horarios")).to_be_focused()
    thumb.tap(page.locator(".slot").first)
    thumb.tap(page.get_by_role("button", name="Continuar"))
    thumb.tap(page.get_by_role("button", name="Google"))
    thumb.tap(page.get_by_role("button", name="Bruno"))
    thumb.tap(page.get_by_role("button", name="Pagar con Mercado Pago"))
    thumb.tap(page.get_by_role("button", name="Aprobar"))

    expect(page.get_by_text("¡Listo! Tu clase está pagada y confirmada")).to_be_visible(
        timeout=30_000
    )
    assert thumb.taps == 8


# --- The provider's checkout ----------------------------------------------------------------------


# News from the provider take a moment; the page asks every few seconds.
PATIENCE = 30_000


@pytest.fixture
def email():
    """The address of somebody new: the demo is shared, and its students' classes with it."""
    return f"{uuid.uuid4().hex}@example.com"


@pytest.fixture
def new_student(new_page, email):
    """Sign somebody new in."""

    def signed_in(*, javascript: bool = True) -> Page:
        page = new_page(javascript=javascript)
        sign_in_as_newcomer(page, email)
        return page

    return signed_in


def expect_state(page: Page, heading: str, *, javascript: bool = True) -> None:
    """Wait for the page to say so: by itself, or by its link where there are no scripts."""
    wanted = page.get_by_role("heading", name=heading)
    for _ in range(0 if javascript else 5):
        page.wait_for_timeout(1_500)
        if wanted.is_visible():
            return
        page.get_by_role("link", name="Actualizar").click()
    expect(wanted).to_be_visible(timeout=PATIENCE)


@in_two_ways
def test_approved(new_student, javascript):
    page = new_student(javascript=javascript)
    go_to_checkout(page, weekday_ahead(7))

    at_checkout(page, "^Aprobar")

    expect_state(page, "¡Listo! Tu clase está pagada y confirmada", javascript=javascript)
    page.get_by_role("link", name="Ver mi clase").click()
    expect(page.get_by_role("link", name=re.compile("Entrar a la clase"))).to_have_attribute(
        "href", re.compile(r"^https://meet\.google\.com/")
    )
    expect(page.get_by_test_id("access-code")).to_be_visible()


@in_the_other_two_ways
def test_rejected_then_approved(new_student, javascript):
    page = new_student(javascript=javascript)
    go_to_checkout(page, weekday_ahead(8))

    at_checkout(page, "^Rechazar")
    expect_state(page, "Pago rechazado", javascript=javascript)
    page.get_by_role("link", name="Pagar con Mercado Pago").click()
    at_checkout(page, "^Aprobar")

    expect_state(page, "¡Listo! Tu clase está pagada y confirmada", javascript=javascript)


@on_a("phone")
def test_expired(new_student, email, demo_data):
    page = new_student()
    go_to_checkout(page, weekday_ahead(10))
    at_checkout(page, "^Volver sin pagar")
    expect(page.get_by_text("Falta pagar")).to_be_visible()

    let_time_run_out(demo_data, email)
    page.reload()

    expect_state(page, "Se venció")
    expect(page.get_by_role("link", name="Pagar con Mercado Pago")).to_have_count(0)
    page.get_by_role("link", name="Elegir otro horario").click()
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("heading", name="Los detalles de tu clase")).to_be_visible()


def let_time_run_out(data: Path, email: str) -> None:
    """Let the time to pay be over for a person, instead of waiting for a quarter of an hour."""
    with closing(sqlite3.connect(data / "db.sqlite3", timeout=20)) as database, database:
        (purchase,) = database.execute(
            "SELECT bookings_purchase.id FROM bookings_purchase"
            " JOIN accounts_user ON accounts_user.id = person_id WHERE email = ?",
            [email],
        )
        for change in (
            "UPDATE bookings_purchase SET kept_until = datetime('now', '-10 minutes') WHERE id = ?",
            "UPDATE bookings_payment SET expires_at = datetime('now', '-10 minutes')"
            " WHERE purchase_id = ?",
        ):
            database.execute(change, purchase)


def test_the_total_is_of_a_number_of_people_chosen_before_its_script_came(new_page, width):
    page = new_page()
    sign_in_as_newcomer(page, f"apurada{width}@example.com")
    choose_time(page, weekday_ahead(9))
    waiting = []
    page.route("**/total.js", lambda route: waiting.append(route))
    with page.expect_request("**/total.js"):
        page.reload(wait_until="commit")

    page.get_by_role("radio", name=re.compile("^4 ")).check()
    waiting.pop().continue_()

    expect(page.locator("[data-total]")).to_have_text("$\xa036.000")


# --- A discount code ------------------------------------------------------------------------------


def start_with_code(new_page, javascript, email, days):
    page = new_page(javascript=javascript)
    sign_in_as_newcomer(page, email)
    choose_time(page, weekday_ahead(days))
    page.locator(".form-more summary").click()
    return page


def go_to_pay(page):
    page.get_by_role("button", name="Pagar con Mercado Pago").click()


@in_two_ways
def test_a_discount_is_seen_and_then_paid(new_page, width, javascript):
    page = start_with_code(new_page, javascript, f"descuento{width}@example.com", days=9)
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
    go_to_pay(page)

    expect(page).to_have_title(re.compile(r"21\.600.*Mercado Pago"))


# --- A transfer -----------------------------------------------------------------------------------


def announce(page: Page, thumb: Thumb, number: str) -> None:
    """From the details of a held time to an announced transfer."""
    thumb.tap(page.get_by_role("button", name="Pagar por transferencia"))
    expect(page.get_by_text("clases.con.paula")).to_be_visible()
    thumb.tap(page.get_by_label("Número de operación"))
    page.keyboard.type(number)
    thumb.tap(page.get_by_role("button", name="Ya transferí"))
    expect(page.get_by_text("Transferencia avisada").first).to_be_visible()


@on_a("phone")
def test_announced_in_three_taps_and_confirmed_in_three(new_page):
    student, teacher = new_page(), new_page()
    sign_in_as_newcomer(student, f"{uuid.uuid4().hex}@example.com")
    choose_time(student, weekday_ahead(15), kind="individual")
    number, students_thumb = str(uuid.uuid4().int)[:12], Thumb()

    announce(student, students_thumb, number)

    sign_in(teacher, TEACHER)
    teacher.goto("/admin/")
    thumb = Thumb()
    thumb.tap(teacher.get_by_role("link", name=re.compile("por confirmar")))
    card = teacher.locator(".card", has_text=number)
    thumb.tap(card.get_by_role("link", name=re.compile("^Llegó")))
    thumb.tap(teacher.get_by_role("button", name="Sí, llegó"))
    expect(teacher.get_by_text("confirmada, y la clase quedó agendada")).to_be_visible()
    student.reload()
    expect(student.get_by_text("Confirmada").first).to_be_visible()
    assert (students_thumb.taps, thumb.taps) == (3, 3)


@in_two_ways
def test_a_wrong_number_is_said_where_it_is_typed(new_page, javascript):
    page = new_page(javascript=javascript)
    sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
    choose_time(page, weekday_ahead(16 if javascript else 17), kind="individual")
    page.get_by_role("button", name="Pagar por transferencia").click()

    page.get_by_label("Número de operación").fill("12")
    page.get_by_role("button", name="Ya transferí").click()

    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_label("Número de operación")).to_have_value("12")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@on_a("phone")
def test_the_alias_is_copied_with_a_tap(new_page):
    page = new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
    choose_time(page, weekday_ahead(18), kind="individual")
    page.get_by_role("button", name="Pagar por transferencia").click()

    page.get_by_role("button", name="Copiar").first.click()

    expect(page.get_by_role("button", name="¡Copiado!")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "clases.con.paula"
