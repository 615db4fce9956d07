"""/inicio/pagos/<id>: where a payment stands, and the way from the details to the checkout."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.sales.settling import settle
from bookings.models import (
    ClassType,
    Hold,
    Payment,
    PaymentStatus,
    Price,
    Purchase,
    VirtualClass,
)
from bookings.templatetags.class_times import hour
from tests.factories import HoldFactory
from tests.pages.texts import text_of
from tests.payments import PRICE, make_payment
from tests.standins import Fault

pytestmark = pytest.mark.django_db

PAID = "¡Listo! Tu clase está pagada y confirmada"


@pytest.fixture
def payment(host, mercadopago, teacher) -> Payment:
    return make_payment(host)


@pytest.fixture
def paid(payment, mercadopago, google) -> Payment:
    """The payment, made and settled."""
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    return payment


@pytest.fixture
def browser(host, sign_in):
    return sign_in(host)


def path_of(payment):
    return reverse("bookings:payment", args=[payment.pk])


def read(browser, payment, query="", **options):
    response = browser.get(f"{path_of(payment)}{query}", **options)
    return response.content.decode()


# --- What it says ---------------------------------------------------------------------------------


def test_an_unpaid_one_leads_to_the_checkout(browser, payment):
    page = read(browser, payment)

    assert "Falta pagar" in page
    assert f'href="{payment.checkout_url}"' in page
    assert "hx-trigger" in page


def test_the_page_itself_finds_out_that_it_was_paid(browser, payment, mercadopago, google):
    mercadopago.pay(payment.preference_id)

    page = read(browser, payment, "?status=approved&payment_id=1")

    assert PAID in page
    assert "hx-trigger" not in page
    assert len(google.live_events()) == 1


def test_the_confirmation_says_what_happens_next(browser, paid, host):
    page = " ".join(read(browser, paid).split())

    booked = VirtualClass.objects.get()
    assert f"<strong>{host.email}</strong>" in page
    assert f"la sala te espera desde las {hour(booked.start_time - timedelta(minutes=15))}" in page
    assert "https://calendar.google.com/calendar/render?" in page
    assert reverse("bookings:calendar_file", args=[booked.pk]) in page


def test_the_confirmation_of_a_group_can_be_shared(browser, paid):
    invitation = f"/inicio/unirse/{VirtualClass.objects.get().access_code}"

    group = read(browser, paid)
    VirtualClass.objects.update(max_participants=1)
    alone = read(browser, paid)

    assert (invitation in group, "https://wa.me/?text=" in group) == (True, True)
    assert (invitation in alone, "https://wa.me/?text=" in alone) == (False, False)


def test_whoever_comes_from_paying_is_not_asked_to_pay_again(browser, payment):
    page = read(browser, payment, "?status=approved")

    assert "Confirmando el pago" in page
    assert payment.checkout_url not in page
    # The hint travels on with each look.
    assert f'href="{path_of(payment)}?status=approved"' in page


def test_the_query_makes_nothing_paid(browser, payment, google):
    read(browser, payment, "?status=approved&collection_status=approved&payment_id=1")

    payment.refresh_from_db()
    assert (payment.status, payment.approved_at) == (PaymentStatus.PENDING, None)
    assert google.events() == []


def test_a_rejected_one_can_be_tried_again(browser, payment, mercadopago):
    mercadopago.pay(payment.preference_id, "rejected")

    page = read(browser, payment, "?status=rejected")

    assert "Pago rechazado" in page
    assert f'href="{payment.checkout_url}"' in page
    own = text_of(browser.get(reverse("bookings:class", args=[payment.purchase.virtual_class_id])))
    assert re.search(r'class="notice notice-error"\s+role="status"', own)


def test_an_expired_one_leads_back_to_the_times(browser, payment):
    over = timezone.now() - timedelta(minutes=6)
    Payment.objects.update(expires_at=over)
    Purchase.objects.update(kept_until=over)

    page = read(browser, payment)

    assert "Ya no se guarda." in page
    assert payment.checkout_url not in page
    assert "/inicio/reservar?" in page


def test_a_provider_that_is_down_is_no_error(browser, payment, mercadopago):
    mercadopago.fault("merchant_orders.search", *[Fault.status(503)] * 9)

    assert "Falta pagar" in read(browser, payment)


# --- How often it looks ---------------------------------------------------------------------------


def test_an_open_page_is_left_alone_while_nothing_changes(browser, payment, mercadopago):
    htmx = {"HX-Request": "true"}
    address = f"{path_of(payment)}?shown=kept"

    unchanged = browser.get(address, headers=htmx)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    changed = browser.get(address, headers=htmx)

    assert (unchanged.status_code, unchanged.content) == (204, b"")
    assert PAID in changed.content.decode()


# --- Whose it is ----------------------------------------------------------------------------------


def test_to_others_it_does_not_exist(sign_in, stranger, teacher, payment):
    for person in (stranger, teacher):
        assert sign_in(person).get(path_of(payment)).status_code == 404


# --- The way there --------------------------------------------------------------------------------


@pytest.fixture
def hold(host) -> Hold:
    Price.objects.create(
        class_type=ClassType.INDIVIDUAL,
        minutes=60,
        students_up_to=1,
        amount=PRICE,
        valid_from=timezone.localdate(),
    )
    start = (timezone.now() + timedelta(days=5)).replace(minute=0, second=0, microsecond=0)
    return HoldFactory(
        user=host,
        start_time=start,
        end_time=start + timedelta(hours=1),
        class_type=ClassType.INDIVIDUAL,
        expires_at=timezone.now() + timedelta(minutes=15),
    )


def send_details(browser, hold):
    path = reverse("bookings:hold", args=[hold.pk])
    return browser.post(path, {"students_count": 1, "text": "", "seen": f"1:{PRICE}"})


def test_the_details_lead_to_the_checkout(browser, hold, mercadopago):
    response = send_details(browser, hold)

    [preference] = mercadopago.preferences
    assert (response.status_code, response["Location"]) == (303, preference["init_point"])
    assert preference["back_urls"]["success"].endswith(path_of(Payment.objects.get()))
    again = send_details(browser, hold)
    assert again["Location"].startswith("/inicio/clases/")
    assert VirtualClass.objects.count() == 1


def test_a_provider_that_is_down_keeps_the_time(browser, hold, mercadopago):
    mercadopago.fault("preferences.create", Fault.status(503))

    page = send_details(browser, hold).content.decode()

    assert "El medio de pago no responde" in page
    assert Hold.objects.get().is_live()
    assert not VirtualClass.objects.exists()


def test_browsers_may_follow_a_form_to_the_checkout(browser, payment, mercadopago):
    policy = browser.get(path_of(payment))["Content-Security-Policy"]

    [form_action] = [part for part in policy.split(";") if part.strip().startswith("form-action")]
    assert mercadopago.url in form_action
