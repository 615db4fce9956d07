"""The panel's first page."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from bookings.models import Payment, Price, ReviewReason, WeeklyHours
from tests.admin.moments import NOW, at, days_later
from tests.factories import VirtualClassFactory
from tests.payments import make_payment

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

SETUP = ["Cargá tus horarios", "Cargá tus precios", "tu calendario de Google"]


@pytest.fixture
def look(panel):
    """Open the page and read its text."""

    def open_index() -> str:
        page = panel.get(reverse("admin:index")).content.decode()
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))

    return open_index


def make_offer():
    WeeklyHours.objects.create(weekday=0, start="09:00", end="13:00")
    Price.objects.create(
        class_type="individual", minutes=60, amount=1_500_000, valid_from="2026-01-01"
    )


def test_an_empty_service_says_how_to_start(look, teacher):
    teacher.provider_refresh_token = ""
    teacher.save()

    page = look()

    assert [step for step in SETUP if step in page] == SETUP


def test_a_service_that_is_ready_has_nothing_to_set_up(look):
    make_offer()

    page = look()

    assert [step for step in SETUP if step in page] == []
    assert "Calendario conectado" in page


def test_a_revoked_calendar_is_to_be_reconnected(look, teacher):
    make_offer()
    teacher.provider_token_revoked_at = NOW
    teacher.save()

    assert "Reconectá tu calendario de Google" in look()


def test_a_price_that_is_still_to_come_offers_nothing_yet(look):
    make_offer()
    Price.objects.update(valid_from=days_later(1))

    assert "Cargá tus precios" in look()


def test_what_waits_is_counted(look):
    VirtualClassFactory(paid_at=NOW)
    VirtualClassFactory(paid_at=NOW, ended=True)
    VirtualClassFactory()
    VirtualClassFactory(ended=True)

    page = look()

    assert "2 pagadas sin agendar" in page
    assert "1 espera el pago" in page


def test_the_counts_lead_to_the_same_classes(panel):
    paid, unpaid = VirtualClassFactory(paid_at=NOW), VirtualClassFactory()
    page = panel.get(reverse("admin:index")).content.decode()

    found = [
        [paid_or_not in panel.get(address.replace("&amp;", "&")).content.decode()
         for paid_or_not in (str(paid.pk), str(unpaid.pk))]
        for address in re.findall(r'href="([^"]+pagada=[^"]+)"', page)
    ]  # fmt: skip

    assert found == [[True, False], [False, True]]


def test_today_s_classes_are_listed_in_order(look, host, student):
    VirtualClassFactory(scheduled=True, booked_by=student, start_time=at("18:00"))
    VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("09:00"))
    VirtualClassFactory(scheduled=True, start_time=at("09:00", days_later(1)))

    page = look()

    assert re.findall(r"(\d\d:\d\d) a \d\d:\d\d (\w+ \w+)", page) == [
        ("09:00", "Ana Host"),
        ("18:00", "Bruno Student"),
    ]


@pytest.mark.parametrize("count", [1, 40])
def test_the_page_costs_the_same_on_a_busy_day(panel, django_assert_num_queries, count):
    for number in range(count):
        VirtualClassFactory(scheduled=True, start_time=at("08:00") + timedelta(minutes=number))
        VirtualClassFactory()

    # Session, counts, payments to review, classes, weekly hours, special hours, prices, calendar;
    # and of the service: classes that wait, heartbeats, the calendar's owner.
    with django_assert_num_queries(11):
        panel.get(reverse("admin:index"))


def test_payments_to_review_are_counted_and_found(panel, look, mercadopago, host):
    assert "a revisar" not in look()
    make_payment(host)
    Payment.objects.update(review=ReviewReason.SHORT)

    assert "1 pago a revisar" in look()
    page = panel.get(reverse("admin:index")).content.decode()
    assert f"{reverse('admin:bookings_payment_changelist')}?revisar=si" in page


def test_whoever_may_not_see_payments_is_not_led_to_them(look, mercadopago, host, teacher):
    make_payment(host)
    Payment.objects.update(review=ReviewReason.SHORT)
    teacher.is_superuser = False
    teacher.save()
    teacher.user_permissions.add(Permission.objects.get(codename="view_virtualclass"))

    assert "a revisar" not in look()
