"""Write the purchases and entries of the sales that earlier releases stored.

Not known, and decided: cash came when the class was marked as paid; a transfer went back when the
log says so, else when it was decided; a refund without a row of ours when the provider last
reported the charge.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import migrations
from django.db.models import QuerySet

BATCH = 1_000
CAME = ("approved", "disputed", "refunded", "charged_back")
FOREIGN = ("currency", "account")
TRANSFER_CAME = ("confirmed", "to_return", "returned")


def fill(apps: Any, schema_editor: Any) -> None:
    models = apps.get_app_config("bookings")
    alias = schema_editor.connection.alias

    def rows(name: str, *related: str) -> QuerySet[Any]:
        return models.get_model(name).objects.using(alias).select_related(*related).order_by("pk")

    def store(name: str, found: Iterator[dict[str, Any]]) -> None:
        model, batch = models.get_model(name), []
        for fields in found:
            batch.append(model(**fields))
            if len(batch) == BATCH:
                model.objects.using(alias).bulk_create(batch)
                batch = []
        model.objects.using(alias).bulk_create(batch)

    classes = rows("VirtualClass", "payment").filter(open_class=None)
    seats = rows("Seat", "payment")
    charges = rows("PaymentCharge", "payment__virtual_class", "payment__seat").filter(
        status__in=CAME, amount__gt=0
    )
    charges = charges.exclude(problem__in=FOREIGN)
    transfers = rows("BankTransfer", "virtual_class__payment", "seat__payment").filter(
        state__in=TRANSFER_CAME
    )
    returns = {
        (one.virtual_class_id, one.details.get("person")): one.at
        for one in rows("ClassLog").filter(event="transfer_returned")
    }
    store("Purchase", _list_purchases(classes, seats, charges))
    store("Entry", (line for charge in charges for line in _write_charge(charge)))
    store("Entry", (line for one in transfers for line in _write_transfer(one, returns)))
    store("Entry", (line for one in (*classes, *seats) for line in _write_cash(one)))


def _list_purchases(classes: Any, seats: Any, charges: Any) -> Iterator[dict[str, Any]]:
    for one in classes:
        yield _purchase(one.pk, "class", one.booked_by_id, one.pk, one.created_at)
    for one in seats:
        yield _purchase(one.pk, "place", one.user_id, one.open_class_id, one.created_at)
    unbooked = {one.payment_id: one.payment for one in charges if _bought(one.payment) is None}
    for payment in unbooked.values():
        yield _purchase(payment.pk, "class", payment.user_id, None, payment.created_at)


def _purchase(key: Any, kind: str, person: Any, virtual_class: Any, at: datetime) -> dict[str, Any]:
    whose = {"person_id": person, "virtual_class_id": virtual_class}
    return {"pk": key, "kind": kind, "created_at": at, **whose}


def _bought(payment: Any) -> Any:
    return getattr(payment, "seat", None) or payment.virtual_class


def _write_charge(charge: Any) -> Iterator[dict[str, Any]]:
    payment = charge.payment
    bought = _bought(payment)
    paid_at = bought.paid_at if bought else payment.approved_at
    pays = charge.counts and payment.approved_at in {None, paid_at}
    came_at = payment.approved_at or charge.seen_at
    left = charge.amount - charge.refunded_amount
    lines = [("payment", charge.amount, came_at)]
    rest = charge.refunded_amount
    for refund in charge.refunds.filter(status="done").order_by("pk"):
        amount = min(refund.amount, rest)
        lines.append(("refund", -amount, refund.done_at))
        rest -= amount
    lines.append(("refund", -rest, charge.provider_updated_at))
    if charge.status == "charged_back":
        lines.append(("chargeback", -left, charge.provider_updated_at))
    for number, (kind, amount, at) in enumerate((one for one in lines if one[1]), start=1):
        yield {
            "purchase_id": (bought or payment).pk,
            "kind": kind,
            "way": "online",
            "amount": amount,
            "is_second": bool(kind == "payment" and paid_at and not pays),
            "at": at,
            "source": f"charge:{charge.pk}:{number}",
            "charge_id": charge.pk,
        }


def _write_transfer(transfer: Any, returns: Any) -> Iterator[dict[str, Any]]:
    bought = transfer.seat or transfer.virtual_class
    is_second = bool(bought.paid_at and transfer.decided_at > bought.paid_at)
    line = {
        "purchase_id": bought.pk,
        "way": "transfer",
        "transfer_id": transfer.pk,
        "by_id": transfer.decided_by_id,
    }
    came = {"kind": "payment", "amount": transfer.amount, "at": transfer.decided_at}
    yield {**line, **came, "is_second": is_second, "source": f"transfer:{transfer.pk.hex}:payment"}
    kept = 0 if is_second else bought.amount_kept or 0
    if transfer.state == "returned" and transfer.amount > kept:
        class_id = transfer.virtual_class_id or bought.open_class_id
        at = returns.get((class_id, str(transfer.user_id)), transfer.decided_at)
        back = {"kind": "refund", "amount": kept - transfer.amount, "at": at}
        yield {**line, **back, "source": f"transfer:{transfer.pk.hex}:refund"}


def _write_cash(bought: Any) -> Iterator[dict[str, Any]]:
    payment = getattr(bought, "payment", None)
    if bought.paid_at is None or (payment and payment.approved_at):
        return
    came = bought.transfers.filter(state__in=TRANSFER_CAME, decided_at__lte=bought.paid_at)
    if came.exists():
        return
    parts = sum(payment.charges.values_list("part_paid", flat=True)) if payment else 0
    price = bought.class_price if hasattr(bought, "class_price") else bought.price
    if price > parts:
        yield {
            "purchase_id": bought.pk,
            "kind": "payment",
            "way": "cash",
            "amount": price - parts,
            "at": bought.paid_at,
            "source": f"cash:{bought.pk.hex}:payment",
        }


def empty(apps: Any, schema_editor: Any) -> None:
    """Nothing to undo: the migration before this one drops the tables."""


class Migration(migrations.Migration):
    dependencies = [("bookings", "0005_purchases_and_entries")]

    operations = [migrations.RunPython(fill, empty)]
