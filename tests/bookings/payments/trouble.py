"""What may go wrong in the story of a payment, and the sweeps that mend it."""

from bookings.domain.calendar.writing import update_events, withdraw_events
from bookings.domain.classes import cancelling, scheduling
from bookings.domain.money import charges as recording
from bookings.domain.money import refunds
from bookings.domain.sales import settling
from bookings.domain.sales.holds import delete_expired_holds
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from bookings.work.sweeps import run_sweep
from tests.bookings.settling.steps import MONEY_SWEEPS
from tests.standins import Fault

PROVIDER_ROUTES = (
    "merchant_orders.search",
    "merchant_orders.get",
    "payments.search",
    "payments.get",
    "payments.update",
    "refunds.create",
)
PROVIDER_FAULTS = (
    Fault.status(503),
    Fault.status(429),
    Fault.drop(),
    Fault.lost(),
    Fault.half(),
    Fault.garbage(),
)
CALENDAR_FAULTS = (Fault.status(400), Fault.lost(), Fault.status(503), Fault.garbage())
# Where the process may die: just before the step, or when it has just been done.
STEPS_OF_WORK = (
    (settling, "record_charges"),
    (settling, "schedule_class"),
    (settling, "give_up_class"),
    (cancelling, "call_off"),
    (settling, "withdraw_event_if_possible"),
    (settling, "send_refunds_of"),
    (settling, "look_up"),
    (settling, "carry_out"),
    (settling, "cancel_dead_charges"),
    (MercadoPagoGateway, "cancel"),
    (recording, "pay_purchase"),
    (recording, "refund_second_payment"),
    (MercadoPagoGateway, "refund"),
    (refunds, "lock_purchase"),
    (scheduling, "create_event"),
    (scheduling, "store_event"),
)
# Every sweep that changes classes, payments or events, in the worker's order.
FOLLOWING_MONEY = (delete_expired_holds, *MONEY_SWEEPS, update_events, withdraw_events)


def follow_money():
    """Run those sweeps; return their counts, None for one that failed."""
    return [run_sweep(one) for one in FOLLOWING_MONEY]
