"""The panel's first page."""

import re
from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from bookings.models import (
    Closure,
    Payment,
    Price,
    PriceDecision,
    Purchase,
    ReviewReason,
    VirtualClass,
    WeeklyHours,
)
from tests.factories import VirtualClassFactory
from tests.panel.moments import NOW, at, days_later
from tests.payments import make_payment
from tests.sales.open_classes import publish
from tests.standins import Fault

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

SETUP = ["Cargá tus horarios", "Cargá tus precios", "tu calendario de Google"]


@pytest.fixture
def look(panel):
    """Open the page and read its text."""

    def open_index() -> str:
        return words(panel.get(reverse("admin:index")).content.decode())

    return open_index


def words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def section(response, name: str) -> str:
    """Return the section with the heading of this id."""
    pattern = rf'<section [^>]*aria-labelledby="{name}".*?</section>'
    return re.search(pattern, response.content.decode(), re.DOTALL).group()


def make_offer():
    WeeklyHours.objects.create(weekday=0, start="09:00", end="13:00")
    Price.objects.create(
        class_type="individual", minutes=60, amount=1_500_000, valid_from="2026-01-01"
    )


def test_an_empty_service_offers_the_first_steps(look):
    page = look()

    assert "Empecemos por tu página" in page
    assert not any(step in page for step in SETUP)


def test_a_service_that_lacks_something_says_what(look, teacher):
    teacher.provider_refresh_token = ""
    teacher.save()
    WeeklyHours.objects.create(weekday=0, start="09:00", end="13:00")

    page = look()

    assert [step for step in SETUP if step in page] == SETUP[1:]
    assert "Empecemos por tu página" not in page


def test_a_service_that_is_ready_has_nothing_to_set_up(look):
    make_offer()

    page = look()

    assert [step for step in SETUP if step in page] == []
    assert "No tenés clases por delante" in page


def test_a_price_that_is_still_to_come_offers_nothing_yet(look):
    make_offer()
    Price.objects.update(valid_from=days_later(1))

    assert "Cargá tus precios" in look()


# --- The next class, and the day ------------------------------------------------------------------


def test_next_class_says_who_why_and_where(panel, host):
    host.phone, host.level = "+54 9 341 555-0199", "intermedio"
    host.save()
    VirtualClassFactory(
        scheduled=True,
        booked_by=host,
        start_time=at("15:00", days_later(2)),
        learning_focus="Una entrevista de trabajo",
    )

    bubble = section(panel.get(reverse("admin:index")), "next-class")

    assert "Tu próxima clase" in bubble
    assert "Miércoles 18 de noviembre" in bubble.replace("miércoles", "Miércoles")
    assert "Ana Host" in bubble
    assert "Nivel intermedio" in bubble
    assert "«Una entrevista de trabajo»" in bubble
    assert 'href="https://meet.google.com/abc-defg-hij"' in bubble
    assert 'href="https://wa.me/5493415550199?text=Hola%20Ana' in bubble


def test_today_s_classes_are_listed_in_order(panel, host, student, stranger):
    VirtualClassFactory(scheduled=True, booked_by=student, start_time=at("18:00"))
    VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("09:00"))
    VirtualClassFactory(scheduled=True, start_time=at("09:00", days_later(1)))
    VirtualClassFactory(scheduled=True, booked_by=stranger, start_time=at("20:00"))

    today = words(section(panel.get(reverse("admin:index")), "today"))

    assert re.findall(r"(\d\d:\d\d) a \d\d:\d\d (\w+ \w+) Grupal, 1 de 5", today) == [
        ("09:00", "Ana Host"),
        ("18:00", "Bruno Student"),
        ("20:00", "Carla Stranger"),
    ]
    # The button of the next one is above.
    assert re.findall("Dada|Entrar", today) == ["Dada", "Entrar"]


def test_this_week_s_other_days_are_listed_around_today(panel, host):
    make_offer()
    ahead = VirtualClassFactory(
        scheduled=True, booked_by=host, start_time=at("09:00", days_later(2))
    )
    VirtualClassFactory(scheduled=True, start_time=at("09:00", days_later(7)))

    page = section(panel.get(reverse("admin:index")), "other-days")

    assert re.findall(r"(?:mar|mié|jue|vie|sáb|dom|lun) \d+ nov(?=</h3>)", page, re.IGNORECASE) == [
        "Mar 17 nov",
        "Mié 18 nov",
        "Jue 19 nov",
        "Vie 20 nov",
        "Sáb 21 nov",
        "Dom 22 nov",
    ]
    assert re.findall(r"clase/([^/]+)/", page) == [str(ahead.pk)]
    assert page.count("Bloquear") == 6


def test_an_unpaid_class_and_a_holiday_are_on_the_page(panel, host):
    make_offer()
    VirtualClassFactory(booked_by=host, start_time=at("09:00", days_later(2)))
    holiday = days_later(4)
    Closure.objects.create(first_day=holiday, last_day=holiday, reason="Feriado puente")

    page = section(panel.get(reverse("admin:index")), "other-days")

    assert "Ana Host Grupal, 1 de 5 · por pagar" in " ".join(words(page).split())
    assert page.count("day-unpaid") == 1
    assert "Vie 20 nov Cerrado: Feriado puente" in " ".join(words(page).split())


@pytest.mark.usefixtures("mercadopago")
def test_an_open_class_has_its_title_and_not_the_teacher_s_name(panel, teacher):
    make_offer()
    open_class = publish(teacher)
    start = at("20:00", days_later(1))
    VirtualClass.objects.update(start_time=start, end_time=start + timedelta(hours=1))

    page = panel.get(reverse("admin:index"))

    for name in ("next-class", "other-days"):
        text = words(section(page, name)).replace("\xa0", " ")
        assert f"{open_class}" in text
        assert "0 de 6 · $ 8.000 por lugar" in text
        assert f"{teacher}" not in text
        assert "WhatsApp" not in text


def test_tomorrow_s_people_with_a_phone_get_a_reminder(panel, host, student):
    host.phone = "341 555 0199"
    host.save()
    VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("09:00", days_later(1)))
    VirtualClassFactory(scheduled=True, booked_by=student, start_time=at("10:00", days_later(1)))
    VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("09:00", days_later(2)))

    [reminder] = panel.get(reverse("admin:index")).context["home"]["reminders"]

    assert unquote(reminder.whatsapp_url) == (
        "https://wa.me/5493415550199?text=Hola Ana, te recuerdo la clase de mañana, martes 17 de "
        "noviembre, a las 09:00. Entrás acá: https://meet.google.com/abc-defg-hij"
    )


def test_a_calendar_that_cannot_be_read_is_something_to_do(panel, google):
    make_offer()
    google.fault("events.list", *[Fault.status(503)] * 9)

    text = words(panel.get(reverse("admin:index")).content.decode())

    assert "No pudimos leer tu calendario" in text
    assert "Nada te espera" not in text
    assert "Todo anda bien" not in text


def test_what_is_urgent_comes_first(panel):
    make_offer()
    VirtualClassFactory(scheduled=True, start_time=at("15:00"))
    usual = panel.get(reverse("admin:index")).text
    VirtualClassFactory(price_decision=PriceDecision.WAITING)
    urgent = panel.get(reverse("admin:index")).text
    VirtualClassFactory(scheduled=True, start_time=at("12:15"))
    near = panel.get(reverse("admin:index")).text

    assert usual.index('id="next-class"') < usual.index('id="tasks"')
    assert urgent.index('id="tasks"') < urgent.index('id="next-class"')
    assert near.index('id="next-class"') < near.index('id="tasks"')


def test_week_says_how_much_is_given_and_free(panel, google, teacher):
    for weekday in range(7):
        WeeklyHours.objects.create(weekday=weekday, start="09:00", end="13:00")
    VirtualClassFactory(scheduled=True, start_time=at("12:15"), end_time=at("13:15"))
    VirtualClassFactory(scheduled=True, start_time=at("09:00", days_later(2)))
    VirtualClassFactory(scheduled=True, start_time=at("09:00", days_later(7)))
    google.add_event(
        start={"dateTime": at("10:00", days_later(3)).isoformat()},
        end={"dateTime": at("11:30", days_later(3)).isoformat()},
    )

    week = words(section(panel.get(reverse("admin:index")), "week"))

    # Of six mornings and the rest of today's: a class of an hour, and an appointment.
    assert "2 clases" in week
    assert "21 h libres" in week.replace("\xa0", " ")


@pytest.mark.parametrize("count", [1, 5])
def test_the_page_costs_the_same_on_a_busy_day(panel, django_assert_num_queries, count):
    for number in range(count):
        VirtualClassFactory(scheduled=True, start_time=at("08:00") + timedelta(minutes=number))
        VirtualClassFactory()
    panel.get(reverse("admin:index"))  # reads the calendar

    # Session; the week's classes with their money, its hours, the next one, seven of the agenda;
    # tomorrow's people; six of the tasks; the takings; weekly and special hours, prices, the
    # calendar's owner; and of the service: the owner, heartbeats, classes that wait.
    with django_assert_num_queries(32):
        panel.get(reverse("admin:index"))


# --- What waits for her ---------------------------------------------------------------------------


def test_what_waits_is_counted_once(look):
    VirtualClassFactory(paid_at=NOW)
    VirtualClassFactory(paid_at=NOW, ended=True)
    VirtualClassFactory()
    VirtualClassFactory(ended=True)
    VirtualClassFactory(price_decision=PriceDecision.WAITING)

    page = look()

    assert "2 pagadas sin agendar" in page
    assert "1 espera el pago" in page
    assert "1 espera tu sí" in page


def test_a_class_whose_payment_can_no_longer_come_waits_for_nothing(look, mercadopago, host):
    make_payment(host)
    assert "1 espera el pago" in look()

    Purchase.objects.update(kept_until=NOW)

    assert "espera el pago" not in look()


def test_payments_to_review_are_counted_and_found(panel, look, mercadopago, host):
    assert "a revisar" not in look()
    make_payment(host)
    Payment.objects.update(review=ReviewReason.SHORT)

    assert "1 pago a revisar" in look()
    page = panel.get(reverse("admin:index")).content.decode()
    assert f"{reverse('admin:bookings_payment_changelist')}?revisar=si" in page


def test_what_she_returns_herself_is_counted_and_found(panel, look, promised):
    page = look()

    assert "1 para devolver" in page
    assert f'href="{reverse("admin:returns")}"' in panel.get(reverse("admin:index")).text


def test_this_month_s_money_stands_beside_last_month_s(panel, teacher):
    VirtualClassFactory(in_cash=NOW, class_price=2_000_000)
    VirtualClassFactory(in_cash=at("12:00", days_later(-17)), class_price=1_000_000)
    VirtualClassFactory(in_cash=at("12:00", days_later(-50)), class_price=9_000_000)

    money = words(section(panel.get(reverse("admin:index")), "money")).replace("\xa0", " ")

    assert "Noviembre $ 20.000 Octubre $ 10.000" in money


def test_staff_who_may_not_see_payments_see_no_money(look, mercadopago, host, teacher):
    make_payment(host)
    Payment.objects.update(review=ReviewReason.SHORT)
    teacher.is_superuser = False
    teacher.save()
    teacher.user_permissions.add(Permission.objects.get(codename="view_virtualclass"))

    page = look()

    assert "Hola" in page
    assert "Dinero" not in page
    assert "a revisar" not in page


def test_the_latest_people_are_one_tap_from_their_booking(panel, host):
    make_offer()
    VirtualClassFactory(booked_by=host)

    page = panel.get(reverse("admin:index")).content.decode()

    assert f"{reverse('admin:book_for')}?estudiante={host.pk}" in page
