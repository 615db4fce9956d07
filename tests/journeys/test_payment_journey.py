"""A class is paid at the provider's checkout, in a real browser, with and without JavaScript."""

import re
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.demo.people import TEACHER
from tests.journeys.booking import at_checkout, go_to_checkout, weekday_ahead
from tests.journeys.steps import sign_in, sign_in_as_newcomer
from tests.journeys.ways import in_the_other_two_ways, in_two_ways, on_a

pytestmark = pytest.mark.browser

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


@in_two_ways
def test_pending_then_approved(new_student, javascript):
    page = new_student(javascript=javascript)
    go_to_checkout(page, weekday_ahead(9))
    checkout = page.url

    at_checkout(page, "^Dejar pendiente")
    expect_state(page, "Pago pendiente", javascript=javascript)
    payment = page.url
    page.goto(checkout)
    at_checkout(page, "^Acreditar")
    page.goto(payment)

    expect_state(page, "¡Listo! Tu clase está pagada y confirmada", javascript=javascript)


@on_a("phone")
def test_expired(new_student, email, demo_data):
    page = new_student()
    go_to_checkout(page, weekday_ahead(10))
    at_checkout(page, "^Volver sin pagar")
    expect_state(page, "Por pagar")

    let_time_run_out(demo_data, email)
    page.reload()

    expect_state(page, "Se venció")
    expect(page.get_by_role("link", name="Pagar con Mercado Pago")).to_have_count(0)
    page.get_by_role("link", name="Elegir otro horario").click()
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("heading", name="Los detalles de tu clase")).to_be_visible()


@on_a("phone")
def test_whoever_comes_back_later_pays_from_the_class(new_student):
    page = new_student()
    go_to_checkout(page, weekday_ahead(11))
    page.goto("/inicio/clases")

    page.get_by_role("listitem").filter(has_text="Por pagar").get_by_role("link").click()
    page.get_by_role("link", name="Pagar con Mercado Pago").click()
    at_checkout(page, "^Aprobar")

    expect_state(page, "¡Listo! Tu clase está pagada y confirmada")


@on_a("desk")
def test_a_class_paid_twice_is_paid_back_once(new_student, new_page, email):
    page = new_student()
    go_to_checkout(page, weekday_ahead(12))
    at_checkout(page, "^Pagar dos veces")
    expect_state(page, "¡Listo! Tu clase está pagada y confirmada")

    teacher = new_page()
    sign_in(teacher, TEACHER)
    teacher.goto(f"/admin/bookings/payment/?q={email}")
    teacher.locator("#result_list tbody th a").first.click()

    done = teacher.get_by_text(re.compile(r"Devolución de .* hecha"))
    expect(done).to_have_count(1)


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
