"""Scheduled and paid classes without an event, for tests that need no calendar."""

from typing import Any

from accounts.models import User
from bookings.domain.classes.scheduling import mark_scheduled
from bookings.domain.history import record_event
from bookings.domain.sales.settling import look_up
from bookings.models import ClassEvent, ClassStatus, NoticeKind, Payment, VirtualClass
from bookings.notices.due import record_place
from tests.factories import VirtualClassFactory
from tests.payments import make_payment
from tests.standins import MercadoPagoStandin


def store_scheduled(**fields: Any) -> VirtualClass:
    """Store a class with its history and its host's mails, as ``schedule_class`` leaves it."""
    virtual_class = VirtualClassFactory(scheduled=True, owns_time=True, **fields)
    record_event(virtual_class, ClassEvent.SCHEDULED, from_status=ClassStatus.PENDING)
    record_place(NoticeKind.CONFIRMATION, virtual_class, virtual_class.booked_by_id)
    return virtual_class


def store_paid(mercadopago: MercadoPagoStandin, user: User) -> Payment:
    """Pay a class of the user's, which is scheduled, as ``settle`` leaves it."""
    payment = make_payment(user)
    mercadopago.pay(payment.preference_id)
    look_up(payment)
    booked = VirtualClass.objects.get(purchases__payment=payment)
    mark_scheduled(booked, event_id="event", link="https://meet.google.com/a", summary="Clase")
    return Payment.objects.select_related("purchase__virtual_class").get(pk=payment.pk)
