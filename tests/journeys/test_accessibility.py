"""axe finds nothing to complain about on any page, in any of its eight looks.

Two widths, two colour schemes, two languages. The panel is in Spanish only.
"""

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.demo.people import CARLA, TEACHER
from tests.journeys.axe import LOOKS, ONE_LOOK, violations
from tests.journeys.booking import book_and_pay, weekday_ahead
from tests.journeys.steps import BOOK, choose_day, choose_time, sign_in, sign_in_as_newcomer
from tests.journeys.ways import on_a

pytestmark = [pytest.mark.browser, on_a("phone")]

FOR_EVERYBODY = [
    "/",
    "/?error=AccessDenied",
    "/privacidad",
    "/horarios/embebido",
    "/clases-abiertas",
    "/inicio",
    BOOK,
    "/inicio/unirse/ABCD2345",
    "/nada",
]
FOR_THE_TEACHER = [
    "/admin/",
    "/admin/semana/",
    "/admin/estudiantes/",
    "/admin/estudiantes/?q=nadie",
    "/admin/precios/",
    "/admin/precios/?percent=10&unit=500&day=2027-12-01",
    "/admin/ofertas/",
    "/admin/ofertas/nueva/",
    "/admin/ofertas/1/",
    "/admin/ofertas/1/borrar/",
    "/admin/dinero/",
    "/admin/mas/",
    "/admin/tecnico/",
    "/admin/bookings/virtualclass/",
    "/admin/bookings/payment/",
    "/admin/bookings/payment/meses/",
    "/admin/bookings/price/",
    "/admin/bookings/closure/",
    "/admin/horarios/",
    "/admin/bookings/bookingrules/1/change/",
    "/admin/transferencias/cuenta/",
    "/admin/bookings/notice/",
]
FOR_STUDENTS = [
    "/inicio",
    "/inicio/clases",
    "/inicio/unirse",
    "/inicio/perfil",
    "/inicio/perfil/borrar",
    "/api/auth/signout",
    BOOK,
    f"{BOOK}?mes=2026-13",
]


@pytest.fixture
def page(new_page):
    """A page on a phone, in light colours; axe looks at it in the others too."""
    return new_page(watch_console=False)


@pytest.fixture(params=["Español", "English"])
def language(request):
    """The language of the pages, as the switch calls it."""
    return request.param


def speak(page: Page, language: str) -> None:
    """Switch the site's language, unless it is spoken already."""
    page.goto("/")
    button = page.get_by_role("button", name=language)
    if button.is_visible():
        button.click()
    expect(page.locator("html")).to_have_attribute("lang", {"Español": "es-ar"}.get(language, "en"))


def visit(page: Page, *addresses: str, looks: list[tuple[int, str]] = LOOKS) -> list[str]:
    found = []
    for address in addresses:
        page.goto(address)
        found += violations(page, looks)
    return found


@pytest.mark.core
def test_the_first_pages_in_one_look(page):
    assert visit(page, "/", "/inicio", BOOK, looks=ONE_LOOK) == []


def test_pages_for_everybody(page, language):
    speak(page, language)

    assert visit(page, *FOR_EVERYBODY) == []


def test_pages_of_a_student(page, language):
    sign_in(page, CARLA)
    speak(page, language)
    page.goto("/inicio/clases")
    classes = page.locator(".class-card a").evaluate_all("links => links.map((one) => one.href)")

    # What may not be changed leads back to the class.
    chosen = f"horario/confirmar?dia={weekday_ahead(10)}&hora=10:00"
    steps = ("cancelar", "dejar", "horario", chosen)
    changes = [f"{address}/{step}" for address in classes[:2] for step in steps]

    assert len(classes) >= 2
    assert visit(page, *FOR_STUDENTS, *classes, *changes) == []


def test_a_student_s_file_and_a_message(page):
    sign_in(page, TEACHER)
    page.goto("/admin/estudiantes/?q=ana")
    page.get_by_role("link", name=re.compile("^Ana ")).click()
    expect(page.get_by_role("heading", name="Tus notas")).to_be_visible()
    found = violations(page)
    page.locator("#ahead + .rows a").first.click()
    page.locator(".sheet-more summary").click()
    found += violations(page)
    page.get_by_role("link", name=re.compile("^Escribir a")).click()
    expect(page.get_by_label("Asunto")).to_be_visible()
    found += violations(page)
    page.get_by_role("button", name="Ver cómo llega").click()
    expect(page.get_by_role("alert")).to_be_focused()
    found += violations(page)
    page.get_by_label("Asunto").fill("El libro")
    page.get_by_label("Mensaje").fill("Traigan el libro.")
    expect(page.get_by_role("button", name=re.compile("^Mandar"))).to_be_visible()
    found += violations(page)

    assert found == []


def test_the_teacher_s_week(page):
    """The week and its sheets: hours free and blocked, days open and closed, a class, a booking."""
    sign_in(page, TEACHER)
    found = visit(page, "/admin/semana/", f"/admin/semana/?semana={weekday_ahead(7)}")
    day, booking = f"/admin/semana/dia/?dia={weekday_ahead(20)}", "/admin/reservar/"
    hour = f"/admin/semana/hora/?inicio={weekday_ahead(21)}T{{}}:00&hasta={{}}:00"
    found += visit(page, day, hour.format(10, 11), hour.format("03", "04"), booking)
    page.locator(".sheet-latest a").first.click()
    expect(page.get_by_role("button", name="Reservar y mandar")).to_be_visible()
    found += violations(page)
    page.get_by_text("Otro día").click()
    found += violations(page)
    page.get_by_role("button", name="Reservar y mandar").click()
    expect(page.get_by_role("alert")).to_be_focused()
    found += violations(page)
    page.goto(day)
    page.get_by_role("button", name="Este día").click()
    expect(page.get_by_role("button", name="Abrir este día")).to_be_visible()
    found += violations(page)
    page.get_by_role("button", name="Abrir este día").click()
    page.goto("/admin/bookings/virtualclass/?status__exact=scheduled")
    first = page.locator("#result_list tbody th a").first.get_attribute("href") or ""
    found += visit(page, f"/admin/clase/{first.split('/')[4]}/")

    assert found == []


def test_pages_of_the_panel(page):
    sign_in(page, TEACHER)

    found = visit(page, *FOR_THE_TEACHER)
    page.goto("/admin/bookings/virtualclass/?status__exact=scheduled")
    page.locator(".list-filters summary").click()
    found += violations(page)

    assert found == []


def test_the_way_to_a_class(page, language):
    sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
    speak(page, language)
    found = []

    page.goto(BOOK)
    page.locator("#tipo-grupal").check()
    expect(page).to_have_url(re.compile("tipo=grupal"))
    choose_day(page, 7)
    choose_time(page)
    expect(page).to_have_url(re.compile("hora="))
    chosen = page.url
    found += violations(page)
    page.locator("#summary button").click()
    expect(page.get_by_role("timer")).to_be_visible()
    found += violations(page)
    page.locator("#details").evaluate(
        "form => { form.students_count.forEach(one => one.remove()) }"
    )
    page.locator("#details button[value=online]").click()
    expect(page.get_by_role("alert")).to_be_focused()
    found += violations(page)
    page.get_by_role("radio").first.check()
    page.locator("#details button[value=online]").click()
    expect(page).to_have_title(re.compile("Mercado Pago"))
    checkout = page.url
    found += visit(page, chosen)  # the time is taken by now
    page.goto(checkout)
    page.get_by_role("button", name=re.compile("^Volver")).click()
    expect(page.locator(f'a[href="{checkout}"]')).to_be_visible()
    found += violations(page)
    page.goto(checkout)
    page.get_by_role("button", name=re.compile("^Aprobar")).click()
    to_class = page.locator("#payment .confirmation a.button[href*='/inicio/clases/']")
    expect(to_class).to_be_visible(timeout=30_000)
    found += violations(page)
    to_class.click()
    expect(page.get_by_test_id("access-code")).to_be_visible()
    found += violations(page)

    assert found == []


def test_an_invitation(page, language, new_page):
    code = book_and_pay(new_page(), f"{uuid.uuid4().hex}@example.com", days=20)
    sign_in_as_newcomer(page, f"{uuid.uuid4().hex}@example.com")
    speak(page, language)

    found = visit(page, f"/inicio/unirse/{code}")

    expect(page.locator(".assurances")).to_be_visible()
    assert found == []


def test_the_page_without_a_connection(page):
    assert visit(page, "/sin-conexion") == []


def test_a_refused_code(page, language):
    sign_in(page, CARLA)
    speak(page, language)
    page.goto("/inicio/unirse")
    page.locator("[name=access_code]").fill("WRONG234")
    page.locator("main form button").click()
    expect(page.get_by_role("alert")).to_be_focused()

    assert violations(page) == []
