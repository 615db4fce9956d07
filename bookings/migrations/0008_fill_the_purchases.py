"""Move what classes, seats and transfers said of their sale to its purchase.

Not known, and decided: cash of an ended sale beyond what the teacher keeps is still to be returned,
as the panel showed it; she says so of what she returned already. A time without a hold is over.
"""

from collections.abc import Iterator
from typing import Any

from django.db import migrations
from django.db.models import F, OuterRef, QuerySet, Subquery, Sum

BATCH = 1_000
LOST = {"slot_lost", "class_over", "code_used_up"}
SEATS = {"held": "kept", "released": "lapsed", "taken": "paid", "lost": "lost"}  # others ended
CARRIED = [
    "person",
    "price",
    "discount",
    "discount_code",
    "state",
    "kept_until",
    "kept_for",
    "by_teacher",
    "paid_at",
    "refund_reason",
    "amount_kept",
]


def fill(apps: Any, schema_editor: Any) -> None:
    rows = Rows(apps, schema_editor.connection.alias)
    for step in (
        _fill_classes,
        _fill_places,
        _join_payments,
        _join_holds,
        _join_refunds,
        _note_returns,
        _join_transfers,
        _promise_cash,
    ):
        step(rows)


class Rows:
    """The tables of the migrated database."""

    def __init__(self, apps: Any, alias: str) -> None:
        self.models, self.alias = apps.get_app_config("bookings"), alias

    def of(self, name: str) -> QuerySet[Any]:
        found: QuerySet[Any] = self.models.get_model(name).objects.using(self.alias)
        return found

    def purchases_of(self, classes: set[Any]) -> dict[Any, Any]:
        """Return the keys of the purchases of classes, by class."""
        found = self.of("Purchase").filter(kind="class", virtual_class__in=classes)
        return dict(found.values_list("virtual_class", "pk"))

    def store(self, purchases: list[dict[str, Any]]) -> None:
        """Store purchases, or only what is new of those that exist."""
        model = self.models.get_model("Purchase")
        self.of("Purchase").bulk_create(
            [model(**fields) for fields in purchases],
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=CARRIED,
        )

    def promise(self, refunds: list[dict[str, Any]]) -> None:
        """Store refunds by hand, unless they exist."""
        model = self.models.get_model("Refund")
        keys = [one["key"] for one in refunds]
        known = set(self.of("Refund").filter(key__in=keys).values_list("key", flat=True))
        new = (one for one in refunds if one["key"] not in known)
        self.of("Refund").bulk_create([model(**fields, next_attempt_at=None) for fields in new])


def _in_batches(rows: QuerySet[Any]) -> Iterator[list[Any]]:
    rows = rows.order_by("pk")
    batch = list(rows[:BATCH])
    while batch:
        yield batch
        batch = list(rows.filter(pk__gt=batch[-1].pk)[:BATCH])


def _fill_classes(rows: Rows) -> None:
    sold = rows.of("VirtualClass").filter(open_class=None)
    for batch in _in_batches(sold.select_related("hold", "payment", "link")):
        known = rows.purchases_of({one.pk for one in batch})
        rows.store([_describe_class(one, known.get(one.pk, one.pk)) for one in batch])


def _describe_class(booked: Any, key: Any) -> dict[str, Any]:
    hold, link = getattr(booked, "hold", None), getattr(booked, "link", None)
    payment = getattr(booked, "payment", None)
    kept_until = None
    if kept := hold or payment:
        kept_until = kept.expires_at
    elif not booked.has_preference:
        kept_until = booked.created_at
    return {
        "id": key,
        "kind": "class",
        "virtual_class_id": booked.pk,
        "person_id": booked.booked_by_id,
        "price": booked.class_price,
        "state": _find_state(booked),
        "kept_until": kept_until,
        "kept_for": _find_way(payment, for_transfer=bool(hold and hold.for_transfer)),
        "by_teacher": bool((hold and hold.made_by_teacher) or (link and link.made_for_id)),
        "paid_at": booked.paid_at,
        **_copy(booked),
    }


def _find_state(booked: Any) -> str:
    if booked.status == "cancelled":
        return "lost" if booked.paid_at and booked.refund_reason in LOST else "ended"
    if booked.paid_at:
        return "paid"
    has_lost_its_time = booked.status == "pending" and booked.scheduling_refusal == "slot_taken"
    return "lapsed" if has_lost_its_time else "kept"


def _find_way(payment: Any, *, for_transfer: bool) -> str:
    if for_transfer:
        return "transfer"
    return "online" if payment and not payment.made_elsewhere else ""


def _copy(bought: Any) -> dict[str, Any]:
    same = ("discount", "discount_code_id", "refund_reason", "amount_kept", "created_at")
    return {name: getattr(bought, name) for name in same}


def _fill_places(rows: Rows) -> None:
    for batch in _in_batches(rows.of("Seat").select_related("payment")):
        rows.store([_describe_place(seat) for seat in batch])


def _describe_place(seat: Any) -> dict[str, Any]:
    state = SEATS.get(seat.state, "ended")
    # Money came, and the place is not given yet: the next look at the payment does.
    is_unsettled = state in {"kept", "lapsed"}
    return {
        "id": seat.pk,
        "kind": "place",
        "virtual_class_id": seat.open_class_id,
        "person_id": seat.user_id,
        "price": seat.price,
        "state": state,
        "kept_until": seat.expires_at,
        "kept_for": _find_way(seat.payment, for_transfer=seat.for_transfer),
        "by_teacher": False,
        "paid_at": None if is_unsettled else seat.paid_at,
        **_copy(seat),
    }


def _join_payments(rows: Rows) -> None:
    for batch in _in_batches(rows.of("Payment").select_related("seat", "hold")):
        of_class = rows.purchases_of({one.virtual_class_id for one in batch})
        unbooked = []
        for payment in batch:
            seat = getattr(payment, "seat", None)
            known = seat.pk if seat else of_class.get(payment.virtual_class_id)
            payment.purchase_id = known or payment.pk
            if known is None:
                unbooked.append(payment)
        given_back = rows.of("Refund").filter(reason="never_booked", charge__payment__in=unbooked)
        ended = set(given_back.values_list("charge__payment", flat=True))
        rows.store([_describe_unbooked(one, has_ended=one.pk in ended) for one in unbooked])
        rows.of("Payment").bulk_update(batch, ["purchase"])


def _describe_unbooked(payment: Any, *, has_ended: bool) -> dict[str, Any]:
    hold = getattr(payment, "hold", None)
    state = "paid" if payment.approved_at else "kept"
    return {
        "id": payment.pk,
        "kind": "class",
        "person_id": payment.user_id,
        "price": payment.amount,
        "state": "ended" if has_ended else state,
        "kept_until": (hold or payment).expires_at,
        "kept_for": _find_way(payment, for_transfer=False),
        "paid_at": payment.approved_at,
        "refund_reason": "never_booked" if has_ended else "",
        "amount_kept": 0 if has_ended else None,
        "created_at": payment.created_at,
    }


def _join_holds(rows: Rows) -> None:
    booked = rows.of("Hold").exclude(virtual_class=None, payment=None)
    # A class that the teacher publishes needs none any more: it is on its way to the calendar.
    booked.filter(virtual_class__open_class__isnull=False).delete()
    for batch in _in_batches(booked.select_related("payment")):
        of_class = rows.purchases_of({one.virtual_class_id for one in batch})
        for hold in batch:
            known = of_class.get(hold.virtual_class_id)
            hold.purchase_id = known or hold.payment.purchase_id
            hold.expires_at = None
        rows.of("Hold").bulk_update(batch, ["purchase", "expires_at"])


def _join_refunds(rows: Rows) -> None:
    charges = rows.of("PaymentCharge").filter(pk=OuterRef("charge"))
    online = rows.of("Refund").filter(purchase=None)
    online.update(purchase=Subquery(charges.values("payment__purchase")))


def _note_returns(rows: Rows) -> None:
    """Store what the teacher returned herself as refunds that are done."""
    second = _list_second(rows)
    returned = rows.of("Entry").filter(kind="refund").exclude(way="online")
    returned = returned.exclude(source__startswith="refund:")
    for batch in _in_batches(returned.select_related("purchase__payment", "transfer")):
        refunds = []
        for entry in batch:
            transfer = entry.transfer
            # Cash went back where she kept another payment in its place.
            is_second = transfer is None or _is_second(entry.purchase, transfer, second)
            refund = _describe_refund(entry.purchase, entry.way, -entry.amount, is_second=is_second)
            asked_at = transfer.decided_at if transfer else entry.at
            done = {"status": "done", "created_at": asked_at, "done_at": entry.at}
            refunds.append({**refund, **done, "key": entry.source, "transfer": transfer})
        rows.promise(refunds)


def _join_transfers(rows: Rows) -> None:
    """Name each transfer's purchase, and promise what is to be returned."""
    second = _list_second(rows)
    for batch in _in_batches(rows.of("BankTransfer")):
        of_class = rows.purchases_of({one.virtual_class_id for one in batch})
        for transfer in batch:
            transfer.purchase_id = transfer.seat_id or of_class[transfer.virtual_class_id]
        purchases = rows.of("Purchase").select_related("payment")
        bought = purchases.in_bulk({one.purchase_id for one in batch})
        refunds = []
        for transfer in batch:
            purchase = bought[transfer.purchase_id]
            is_second = _is_second(purchase, transfer, second)
            amount = transfer.amount - (0 if is_second else purchase.amount_kept or 0)
            if transfer.state == "to_return" and amount > 0:
                refund = _describe_refund(purchase, "transfer", amount, is_second=is_second)
                key = f"transfer:{transfer.pk.hex}:refund"
                refunds.append(
                    {**refund, "created_at": transfer.decided_at, "key": key, "transfer": transfer}
                )
            if transfer.state in {"to_return", "returned"}:
                transfer.state = "confirmed"
        rows.promise(refunds)
        rows.of("BankTransfer").bulk_update(batch, ["purchase", "state"])


def _promise_cash(rows: Rows) -> None:
    decided = rows.of("Purchase").filter(amount_kept__isnull=False, entries__way="cash")
    decided = decided.annotate(cash=Sum("entries__amount"), left=F("cash") - F("amount_kept"))
    for batch in _in_batches(decided.filter(left__gt=0).select_related("virtual_class")):
        rows.promise(
            [
                {
                    **_describe_refund(one, "cash", one.left, is_second=False),
                    "created_at": one.virtual_class.updated_at,
                    "key": f"cash:{one.pk.hex}:refund",
                }
                for one in batch
            ]
        )


def _list_second(rows: Rows) -> set[Any]:
    """Return the keys of the transfers that came when their sale was already paid."""
    second = rows.of("Entry").filter(is_second=True, transfer__isnull=False)
    return set(second.values_list("transfer", flat=True))


def _is_second(purchase: Any, transfer: Any, second: set[Any]) -> bool:
    payment = getattr(purchase, "payment", None)
    return transfer.pk in second or bool(payment and payment.approved_at)


def _describe_refund(purchase: Any, way: str, amount: int, *, is_second: bool) -> dict[str, Any]:
    reason = "paid_twice" if is_second else purchase.refund_reason or "cancelled"
    return {"purchase_id": purchase.pk, "way": way, "amount": amount, "reason": reason}


class Migration(migrations.Migration):
    dependencies = [("bookings", "0007_widen_purchases")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
