"""What the tests of settling do and look at."""

from datetime import timedelta

import time_machine
from django.utils import timezone

from bookings.domain.classes.finishing import finish_requested_schedulings
from bookings.domain.money.refunds import send_due_refunds
from bookings.domain.sales.notifications import process_notifications, search_payments
from bookings.domain.sales.settling import expire_payments, settle, settle_due_payments
from bookings.models import Payment
from bookings.work.sweeps import run_sweep
from tests.booking import book_class
from tests.payments import PRICE

PESOS = PRICE / 100
PRICE_ELSEWHERE = 1_500_000
START = timezone.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=7)
# In the worker's order.
MONEY_SWEEPS = (
    search_payments,
    process_notifications,
    send_due_refunds,
    settle_due_payments,
    expire_payments,
    finish_requested_schedulings,
)


def look(payment):
    settle(payment.preference_id)
    return Payment.objects.select_related("purchase__virtual_class").get(pk=payment.pk)


def sweep_money():
    """Run the sweeps that follow money, as the worker does; return their counts, None if failed."""
    return [run_sweep(one) for one in MONEY_SWEEPS]


def pass_two_minutes():
    for minutes in (1, 2):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
            assert None not in sweep_money()


def book_elsewhere(user, preference_id, **changes):
    """Book a class whose preference another system made."""
    wish = {
        "start": START,
        "end": START + timedelta(hours=1),
        "is_group_class": False,
        "students_count": 1,
        "price": PRICE_ELSEWHERE,
    }
    return book_class(user=user, preference_id=preference_id, **wish | changes)
