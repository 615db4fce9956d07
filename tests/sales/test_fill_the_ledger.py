"""The migration writes what the service would have written."""

from datetime import UTC, datetime
from importlib import import_module
from types import SimpleNamespace

import time_machine
from django.apps import apps
from django.db import connection
from django.db.models import F, Sum

from bookings.models import Entry, PaymentCharge, Purchase
from tests.emptying import unguarded
from tests.sales.test_ledger import Month, sell_for_a_month
from tests.sales.transfers import take_transfers

fill = import_module("bookings.migrations.0006_fill_the_ledger").fill


def forget_the_ledger():
    with unguarded("bookings_entry"):
        Entry.objects.all().delete()
        Purchase.objects.all().delete()


def sums():
    # Earlier releases forgot the cash in place of which she kept another payment.
    replaced = Entry.objects.filter(way="cash", kind="refund").values("purchase")
    counted = Entry.objects.exclude(way="cash", purchase__in=replaced)
    lines = counted.order_by().values_list(
        "purchase__person", "purchase__virtual_class", "way", "kind", "is_second"
    )
    return {tuple(key): amount for *key, amount in lines.annotate(Sum("amount"))}


def test_sales_of_earlier_releases_get_their_entries(mercadopago, teacher, settings):
    settings.MAX_BOOKINGS = 10_000
    take_transfers()
    with time_machine.travel(datetime(2026, 11, 1, 12, tzinfo=UTC)) as clock:
        sell_for_a_month(Month(mercadopago, teacher, seed=2), clock)
    written = sums()
    # Earlier releases stored the part of a payment that cash completed.
    completed = PaymentCharge.objects.filter(counts=True, payment__approved_at=None)
    completed.update(part_paid=F("amount"))

    forget_the_ledger()
    fill(apps, SimpleNamespace(connection=connection))

    assert sums() == written
