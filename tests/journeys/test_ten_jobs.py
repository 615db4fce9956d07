"""The jobs of the teacher's day, each in at most three taps on a phone of 360 px.

Three of them for another day of this week too.

A tap is a click on a link or a button, from the panel's first page on; confirming counts. Typing
into a field is no tap, and neither is the picker of a date. The teacher signed in a moment ago, so
that refunding does not ask for it again. Each target is 44 px high.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import holidays
import pytest
from django.utils import timezone
from playwright.sync_api import APIRequestContext, Browser, Locator, Page, expect

from bookings.templatetags.class_times import short_day
from tests.demo.folder import DATABASE
from tests.demo.people import TEACHER
from tests.journeys.steps import sign_in_over_http
from tests.running_demo import running_demo

pytestmark = [pytest.mark.browser, pytest.mark.core]

NARROW = 360
MOST_TAPS = 3
TARGET = 44
PHONE = "3415550142"
BUENOS_AIRES = ZoneInfo("America/Argentina/Buenos_Aires")
MEET = "https://meet.google.com/**"


class Taps:
    """A page, and how often it was tapped."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def __call__(self, role: str, name: str) -> None:
        """Tap the first link or button whose name has this text."""
        self.touch(self.page.get_by_role(role, name=re.compile(name)).first)

    def touch(self, target: Locator) -> None:
        target.wait_for()
        self.page.wait_for_load_state()  # a box without its style is lower
        box = target.bounding_box()
        assert box is not None, target
        assert box["height"] >= TARGET - 0.5, target
        target.click()
        self.count += 1


def next_working_day() -> date:
    """Return a day before Friday; the next day is one on which students book too."""
    closed, day = holidays.country_holidays("AR"), timezone.localdate() + timedelta(days=1)
    while day.weekday() > 3 or day in closed or day + timedelta(days=1) in closed:
        day += timedelta(days=1)
    return day


@pytest.fixture(scope="module")
def today() -> date:
    """The demo's day: on it Bruno's class began twenty minutes ago."""
    return next_working_day()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, browser: Browser, today: date) -> Iterator[str]:
    """A demo at twenty past ten, with what the jobs need."""
    now = datetime.combine(today, time(10, 20), tzinfo=BUENOS_AIRES)
    folder = tmp_path_factory.mktemp("jobs")
    with running_demo(folder, "--now", now.isoformat()) as address:
        _write(folder / DATABASE, "bookings_bookingrules SET minimum_notice_minutes = 0")
        tomorrow = today + timedelta(days=1)
        booked = {"devuelve": today, "mueve": today, "vuelve": tomorrow, "corre": tomorrow}
        for name, day in booked.items():
            with _newcomer(browser, address, name) as http:
                _book_and_pay(http, day)
        with _newcomer(browser, address, "pide") as http:
            _ask_for_a_class_that_the_list_lacks(http, today)
        _write(folder / DATABASE, f"accounts_user SET phone = '{PHONE}'")
        yield address


def _write(database: Path, what: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(f"UPDATE {what}")


@contextmanager
def _newcomer(browser: Browser, address: str, name: str) -> Iterator[APIRequestContext]:
    """Return an HTTP client with the session of a new person, without a browser page."""
    context = browser.new_context(base_url=address)
    sign_in_over_http(context.request, "google", f"{name}@example.com")
    yield context.request
    context.close()


def _book_and_pay(http: APIRequestContext, day: date) -> None:
    """Book a group of three at the first free time of a day's afternoon, as docs/api.md does."""
    for hour in range(12, 22):
        wish = {**_times(day, hour, 1), "isGroupClass": True, "studentsCount": 3}
        if (answer := http.post("/api/payments/preference", data=wish)).ok:
            break
    payment = answer.json()
    named = {"preferenceId": payment["preferenceId"]}
    booking = {**wish, **named, "text": "", "price": payment["price"]}
    assert http.post("/api/booking", data=booking).ok
    http.post(payment["initPoint"], form={"action": "approve"}, max_redirects=0)
    assert http.post("/api/calendar", data=named).ok


def _ask_for_a_class_that_the_list_lacks(http: APIRequestContext, today: date) -> None:
    booking = {
        **_times(today + timedelta(days=14), 9, 2),
        "isGroupClass": True,
        "studentsCount": 9,
        "text": "",
        "price": 9_000_000,
        "preferenceId": "from-elsewhere",
    }
    assert http.post("/api/booking", data=booking).ok


def _times(day: date, hour: int, hours: int) -> dict[str, str]:
    start = datetime.combine(day, time(hour), tzinfo=BUENOS_AIRES)
    return {"start": start.isoformat(), "end": (start + timedelta(hours=hours)).isoformat()}


@pytest.fixture(scope="module")
def session(demo: str, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file with the cookies of the teacher, who has just signed in."""
    file = tmp_path_factory.mktemp("session") / "cookies.json"
    context = browser.new_context(base_url=demo)
    sign_in_over_http(context.request, TEACHER.provider, TEACHER.email)
    context.storage_state(path=file)
    context.close()
    return str(file)


# --- The jobs: each ends where the teacher sees that it is done -----------------------------------


def book_for_a_student(tap: Taps, today: date) -> None:
    tap("link", "^Reservar para (?!alguien)")
    tap.touch(tap.page.locator("#when label").first)
    with tap.page.expect_request(re.compile(f"^https://wa.me/549{PHONE}.text=Hola")):
        tap("button", "Reservar y mandar")


def write_to_all_of_a_class(tap: Taps, today: date) -> None:
    tap("link", "Vuelve")
    tap("link", "Escribir a")
    tap.page.wait_for_load_state()  # the page listens from then on
    tap.page.get_by_label("Asunto").fill("El libro")
    tap.page.get_by_label("Mensaje").fill("Traigan el libro.")
    tap("button", r"^Mandar \d correo")
    expect(tap.page.get_by_text("Sale un correo.")).to_be_visible()


def block_today(tap: Taps, today: date) -> None:
    tap("link", "^Semana")
    tap("link", "^Bloquear")
    tap("button", "^Este día|^Hoy|^Bloquear")
    expect(tap.page.locator(".messagelist")).to_be_visible()


def open_the_next_class_s_link(tap: Taps, today: date) -> None:
    tap.page.route(MEET, lambda route: route.fulfill(body="Meet"))
    tap("link", "^Entrar")
    expect(tap.page).to_have_url(re.compile("^https://meet"))


def block_another_day(tap: Taps, today: date) -> None:
    tap("link", f"^Bloquear el {short_day(today + timedelta(days=1))}")
    tap("button", "^Este día")
    expect(tap.page.locator(".messagelist")).to_be_visible()


def move_a_class(tap: Taps, today: date, student: str = "Mueve", days: int = 21) -> None:
    tap("link", student)
    tap("link", "Cambiar el horario")
    tap.page.wait_for_load_state()  # the page listens from then on
    tap.page.get_by_label("Día", exact=True).fill(f"{today + timedelta(days=days)}")
    tap.page.get_by_label("Hora", exact=True).fill("08:00")
    tap.page.get_by_label("Hora", exact=True).blur()
    tap.page.get_by_text(re.compile("Pasa del .* al .*, 08:00")).wait_for()
    tap("button", "Sí, cambiar el horario")
    expect(tap.page.get_by_text("cambió el horario y avisamos a todos")).to_be_visible()


def move_another_days_class(tap: Taps, today: date) -> None:
    move_a_class(tap, today, "Corre", days=22)


def mark_an_absence(tap: Taps, today: date) -> None:
    tap("link", "10:00 a 11:00 Bruno")
    tap("button", "Marcar falta")
    expect(tap.page.get_by_text("Anotamos que Bruno Benítez faltó")).to_be_visible()


def refund_half(tap: Taps, today: date, student: str = "Devuelve") -> None:
    tap("link", student)
    tap("link", "Devolver una parte")
    tap("button", "Sí, devolver este monto")
    expect(tap.page.get_by_text("Devolviste $ 12.000.")).to_be_visible()


def refund_half_of_another_days_class(tap: Taps, today: date) -> None:
    refund_half(tap, today, "Vuelve")


def change_a_price_from_the_first(tap: Taps, today: date) -> None:
    tap("link", "^Más")
    tap("link", "^Precios")
    tap.page.get_by_label("Precio nuevo: Individual de 60 minutos").fill("18.000")
    tap("button", "Cambiar los precios")
    expect(tap.page.get_by_text(re.compile("Desde el .* 1 de .*: [$].18.000"))).to_be_visible()


def mark_as_paid(tap: Taps, today: date) -> None:
    tap("link", "esperan? el pago")
    tap("link", "Marcar como pagada y agendar ?: Ana")
    tap("button", "Sí, ya la cobré")
    expect(tap.page.get_by_text("pagada y agendada").first).to_be_visible()


def answer_a_waiting_student(tap: Taps, today: date) -> None:
    tap("link", "esperan? tu sí")
    tap("link", "Aceptar la clase")
    tap("button", "Sí, aceptarla")
    expect(tap.page.get_by_text("aceptada").first).to_be_visible()


def see_this_month(tap: Taps, today: date) -> None:
    tap("link", "^Dinero")
    expect(tap.page.get_by_role("heading", name="Mes a mes")).to_be_visible()


def find_a_student(tap: Taps, today: date) -> None:
    tap("link", "^Estudiantes")
    tap.page.get_by_role("searchbox").fill("conti")
    tap("button", "Buscar")
    tap("link", "^Carla Conti")
    expect(tap.page.get_by_role("heading", name="Carla Conti")).to_be_visible()


JOBS: list[Callable[[Taps, date], None]] = [
    book_for_a_student,
    write_to_all_of_a_class,
    block_today,
    block_another_day,
    open_the_next_class_s_link,
    move_a_class,
    move_another_days_class,
    mark_an_absence,
    refund_half,
    refund_half_of_another_days_class,
    change_a_price_from_the_first,
    mark_as_paid,
    answer_a_waiting_student,
    see_this_month,
    find_a_student,
]


@pytest.mark.parametrize("width", [NARROW], ids=["narrow phone"], indirect=True)
@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.__name__)
def test_a_daily_job_takes_at_most_three_taps(new_page, job, today, session):
    page = new_page(storage_state=session)
    page.goto("/admin/")
    tap = Taps(page)

    job(tap, today)

    assert tap.count <= MOST_TAPS
