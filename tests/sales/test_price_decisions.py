"""A class that the price list lacks waits until the teacher agrees to it or refuses it."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.exceptions import PriceNotAgreedError, PriceTooLowError
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.settling import settle, trigger_scheduling
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    Price,
    PriceDecision,
    VirtualClass,
)
from bookings.work.sweeps import sweep
from tests.booking import book_class
from tests.panel.steps import address_of, carry_out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("teacher", "google")]

PRICE = 1_500_000
START = timezone.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=7)


@pytest.fixture
def panel(teacher, sign_in):
    return sign_in(teacher)


@pytest.fixture
def prices(db):
    Price.objects.create(
        class_type="individual",
        minutes=60,
        students_up_to=1,
        amount=PRICE,
        valid_from=timezone.localdate() - timedelta(days=1),
    )


def book(user, preference_id="foreign-1", *, minutes=60, price=PRICE, **changes):
    wish = {"is_group_class": False, "students_count": 1} | changes
    return book_class(
        user=user,
        start=START,
        end=START + timedelta(minutes=minutes),
        price=price,
        preference_id=preference_id,
        **wish,
    )


@pytest.fixture
def unlisted(mercadopago, prices, host):
    """Ninety minutes, which the list lacks, with a preference of another system."""
    return book(host, mercadopago.add_preference()["id"], minutes=90)


@pytest.fixture
def paid(mercadopago, unlisted):
    """The same, paid."""
    mercadopago.pay(unlisted.preference_id)
    settle(unlisted.preference_id)
    unlisted.refresh_from_db()
    return unlisted


# --- What is held against the list ----------------------------------------------------------------


@pytest.mark.parametrize("price", [0, 1, PRICE - 1])
def test_a_price_below_the_list_is_refused_and_nothing_is_written(mercadopago, prices, host, price):
    with pytest.raises(PriceTooLowError):
        book(host, price=price)

    assert not VirtualClass.objects.exists()
    assert not Payment.objects.exists()


def test_the_api_refuses_a_price_below_the_list_in_the_documented_shape(
    mercadopago, prices, host, sign_in
):
    body = {
        "start": START.isoformat(),
        "end": (START + timedelta(hours=1)).isoformat(),
        "isGroupClass": False,
        "studentsCount": 1,
        "price": PRICE - 1,
        "preferenceId": "foreign-1",
    }

    answer = sign_in(host).post("/api/booking", body, content_type="application/json")

    assert (answer.status_code, answer.json()) == (
        400,
        {"success": False, "status": 400, "error": "El precio es menor que el de la lista."},
    )


def test_a_preference_of_ours_keeps_the_price_that_it_was_made_for(mercadopago, prices, host):
    from bookings.domain.sales.checkout import request_preference

    wish = {
        "start": START,
        "end": START + timedelta(hours=1),
        "is_group_class": False,
        "students_count": 1,
    }
    payment = request_preference(user=host, **wish)
    Price.objects.update(amount=PRICE * 2)

    virtual_class = book(host, payment.preference_id)

    assert virtual_class.price_decision == PriceDecision.NONE


@pytest.mark.parametrize(
    "changes",
    [{"minutes": 90}, {"is_group_class": True, "students_count": 3}, {"minutes": 90, "price": 0}],
    ids=["length", "kind", "for nothing"],
)
def test_what_the_list_lacks_waits_for_the_teacher(mercadopago, prices, host, changes):
    virtual_class = book(host, **changes)

    assert virtual_class.price_decision == PriceDecision.WAITING


def asked():
    return Notice.objects.filter(kind=NoticeKind.PRICE_TO_DECIDE).count()


def test_the_teacher_is_asked_about_a_price_once_it_is_paid(mercadopago, unlisted):
    assert asked() == 0
    mercadopago.pay(unlisted.preference_id)

    for _ in range(2):
        settle(unlisted.preference_id)

    assert asked() == 1


def test_the_teacher_is_asked_about_a_class_for_nothing_once_a_client_asks(
    mercadopago, prices, host
):
    virtual_class = book(host, minutes=90, price=0)
    assert asked() == 0

    with pytest.raises(PriceNotAgreedError):
        trigger_scheduling(preference_id=virtual_class.preference_id)

    assert asked() == 1


def test_the_teacher_is_asked_at_most_once_an_hour(mercadopago, prices, host, time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    first, second = (mercadopago.add_preference()["id"] for _ in range(2))
    for preference_id in (first, second):
        book(host, preference_id, minutes=90)
        mercadopago.pay(preference_id)
        settle(preference_id)
    assert asked() == 1

    time_machine.shift(timedelta(hours=1, seconds=1))
    settle(second)

    assert asked() == 2


def test_nothing_is_free_only_where_the_list_says_so(mercadopago, prices, host):
    Price.objects.update(amount=0)

    virtual_class = book(host, price=0)

    assert trigger_scheduling(preference_id=virtual_class.preference_id).is_scheduled


def test_without_payments_the_price_of_the_request_stands(prices, host):
    assert book(host, minutes=90, price=1).price_decision == PriceDecision.NONE
    assert not Notice.objects.exists()


def test_without_a_list_a_price_stands_and_nothing_waits(mercadopago, host):
    assert book(host, price=1).price_decision == PriceDecision.NONE
    assert book(host, "foreign-2", price=0).price_decision == PriceDecision.WAITING


# --- Waiting --------------------------------------------------------------------------------------


def test_a_paid_class_is_not_scheduled_before_the_teacher_agrees(paid, teacher):
    assert paid.is_paid
    with pytest.raises(PriceNotAgreedError):
        trigger_scheduling(preference_id=paid.preference_id)
    with pytest.raises(PriceNotAgreedError):
        confirm_payment(class_id=paid.pk, actor=teacher)
    assert None not in sweep().values()

    paid.refresh_from_db()
    assert (paid.status, paid.scheduling_requested_at) == (ClassStatus.PENDING, None)


def test_post_calendar_says_that_the_teacher_has_to_agree(paid, client):
    answer = client.post(
        "/api/calendar", {"preferenceId": paid.preference_id}, content_type="application/json"
    )

    assert (answer.status_code, answer.json()) == (
        409,
        {"error": "The teacher has not agreed to the price yet"},
    )


def test_the_student_reads_what_the_class_waits_for(paid, host, sign_in):
    page = sign_in(host).get(f"/inicio/clases/{paid.pk}").content.decode()
    money = sign_in(host).get(f"/inicio/pagos/{paid.purchase.payment.pk}").content.decode()

    assert "Falta que acepte tu profe" in page
    assert "Falta que acepte tu profe" in money


def test_the_panel_lists_what_waits_and_leads_to_the_decision(panel, paid):
    address = reverse("admin:bookings_virtualclass_changelist")

    assert "1</strong> espera tu sí" in panel.get(reverse("admin:index")).content.decode()
    assert "1 clase" in panel.get(f"{address}?precio=decidir").content.decode()
    shown = panel.get(reverse("admin:class_sheet", args=[paid.pk]))
    assert address_of(paid, "aceptar") in shown.content.decode()
    assert address_of(paid, "cancelar") in shown.content.decode()
    assert address_of(paid, "pagada") not in shown.content.decode()


# --- Deciding -------------------------------------------------------------------------------------


def test_agreeing_schedules_the_paid_class_once(panel, paid, google):
    for _ in range(2):
        carry_out(panel, paid, "aceptar")

    paid.refresh_from_db()
    assert (paid.is_scheduled, paid.price_decision) == (True, PriceDecision.AGREED)
    assert len(google.live_events()) == 1
    assert ClassLog.objects.filter(event=ClassEvent.PRICE_AGREED).count() == 1


def test_agreeing_before_the_payment_schedules_with_it(panel, mercadopago, unlisted):
    carry_out(panel, unlisted, "aceptar")
    mercadopago.pay(unlisted.preference_id)

    settle(unlisted.preference_id)

    unlisted.refresh_from_db()
    assert unlisted.is_scheduled


def test_a_class_that_is_over_without_a_decision_is_refunded(paid, mercadopago):
    VirtualClass.objects.update(
        start_time=timezone.now() - timedelta(hours=2), end_time=timezone.now()
    )

    settle(paid.preference_id)

    paid.refresh_from_db()
    assert paid.status == ClassStatus.CANCELLED
    assert len(mercadopago.refunds) == 1
