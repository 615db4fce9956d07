"""The lives of processes that settle a payment, or give money back, and are killed on the way."""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from django.db.models.signals import post_save

from bookings.domain.classes import scheduling
from bookings.domain.money import charges, refunds
from bookings.domain.sales import settling
from bookings.models import Payment, PaymentCharge, Refund, VirtualClass
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from tests.drills.points import die


def before(module: ModuleType | type, name: str) -> Callable[[], None]:
    """Die instead of calling a function."""
    return lambda: setattr(module, name, die)


def after(module: ModuleType | type, name: str) -> Callable[[], None]:
    """Die when a function has been called and nobody has seen what it gave."""

    def install() -> None:
        inner = getattr(module, name)

        @wraps(inner)
        def run(*args: Any, **kwargs: Any) -> None:
            inner(*args, **kwargs)
            die()

        setattr(module, name, run)

    return install


def saving(model: type) -> Callable[[], None]:
    """Die when a row has been written and not yet committed."""
    return lambda: post_save.connect(die, sender=model, weak=False)


SETTLING: dict[str, Callable[[], None]] = {
    "before the provider is asked": before(settling, "look_up"),
    "when the provider has told": before(settling, "record_charges"),
    "in the record, a charge written": saving(PaymentCharge),
    "in the record, the class written": saving(VirtualClass),
    "in the record, all written": saving(Payment),
    "when it is recorded": before(settling, "carry_out"),
    "when it is approved": before(charges, "pay_purchase"),
    "when the event is made": after(scheduling, "create_event"),
    "when the class is scheduled": after(settling, "schedule_class"),
}
REFUNDING: dict[str, Callable[[], None]] = {
    "before the provider is asked": before(MercadoPagoGateway, "refund"),
    "when the provider has given back": after(MercadoPagoGateway, "refund"),
    "while that is written down": saving(Refund),
}


def settle(point: str, preference_id: str) -> None:
    """Settle a payment up to a point."""
    SETTLING[point]()
    settling.settle(preference_id)
    die()


def refund(point: str) -> None:
    """Send the refunds that are due, up to a point."""
    REFUNDING[point]()
    refunds.send_due_refunds()
    die()
