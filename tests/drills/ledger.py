"""The referee's view of money (I5): it is a class or a place, or back, and the ledger says so."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from bookings.models import (
    FOREIGN,
    ClassEvent,
    ClassStatus,
    Entry,
    EntryKind,
    Payment,
    Purchase,
    PurchaseState,
    Refund,
    RefundReason,
    RefundStatus,
    TransferState,
)
from tests.drills.evidence import Kind, Outside, Rows, Violation

IN_THE_CALENDAR = {ClassStatus.SCHEDULED, ClassStatus.COMPLETED}


def judge_money(rows: Rows, outside: Outside) -> Iterator[Violation]:
    yield from judge_purchases(rows)
    yield from _refunds_happened_once(rows, outside)
    yield from _money_paid_for_something(rows, outside)
    yield from _ledger_is_the_providers(rows, outside)


def judge_purchases(rows: Rows) -> Iterator[Violation]:
    yield from _classes_are_sold_once(rows)
    yield from _what_is_paid_is_given(rows)
    yield from _her_word_is_booked_once(rows)
    yield from _sums_fit_the_state(rows)


def _classes_are_sold_once(rows: Rows) -> Iterator[Violation]:
    sales = Counter(one.virtual_class_id for one in rows.purchases if not one.is_place)
    published = {one.virtual_class_id for one in rows.log if one.event == ClassEvent.PUBLISHED}
    for one in rows.classes:
        wanted = int(one.pk not in published)
        if sales[one.pk] < wanted and one.status in IN_THE_CALENDAR:
            yield _break("lost", "purchase", f"of {one.pk}")
        if sales[one.pk] > wanted:
            yield _break("doubled", "purchase", f"of {one.pk}")


def _what_is_paid_is_given(rows: Rows) -> Iterator[Violation]:
    classes = {one.pk: one for one in rows.classes}
    inside = {(one.virtual_class_id, one.user_id) for one in rows.activities}
    payments = _payments_by_purchase(rows)
    for one in rows.purchases:
        booked = classes.get(one.virtual_class_id) if one.virtual_class_id else None
        if one.state != PurchaseState.PAID or booked is None:
            continue
        if booked.status == ClassStatus.CANCELLED:
            yield _break("wrong", "purchase", f"{one.pk} of a cancelled class")
        elif one.is_place and (booked.pk, one.person_id) not in inside:
            yield _break("lost", "place", f"of {one.pk}")
        is_visible = booked.scheduling_refusal or booked.is_undecided
        if booked.status == ClassStatus.PENDING and not (
            is_visible or _is_reviewed(payments.get(one.pk))
        ):
            yield _break("lost", "paid class", str(booked.pk))
    buyers = {
        (one.virtual_class_id, one.person_id)
        for one in rows.purchases
        if one.is_place and one.state == PurchaseState.PAID
    }
    sold = {one.virtual_class_id for one in rows.purchases if one.is_place}
    hosts = {(one.pk, one.booked_by_id) for one in rows.classes}
    for class_id, person_id in inside - hosts - buyers:
        if class_id in sold and classes[class_id].status != ClassStatus.CANCELLED:
            yield _break("wrong", "place", f"of {person_id} in {class_id}")


def _refunds_happened_once(rows: Rows, outside: Outside) -> Iterator[Violation]:
    wanted: Counter[str] = Counter()
    for refund in rows.refunds:
        if refund.is_by_hand:
            continue
        if refund.status == RefundStatus.DONE:
            wanted[refund.online_charge.charge_id] += 1
        elif refund.status != RefundStatus.FAILED:
            yield _break("lost", "refund", f"{refund.key} is still {refund.status}")
    for charge in outside.charges:
        charge_id = str(charge["id"])
        made = sum(refund["status"] == "approved" for refund in charge["refunds"])
        if made > wanted[charge_id]:
            yield _break("doubled", "refund", charge_id)
        elif made < wanted[charge_id]:
            yield _break("lost", "refund", charge_id)


def _money_paid_for_something(rows: Rows, outside: Outside) -> Iterator[Violation]:
    """Money of a booked purchase pays it, or is shown to the teacher."""
    payments = {one.reference: one for one in rows.payments}
    purchases = {one.pk: one for one in rows.purchases}
    for charge in outside.charges:
        payment = payments.get(charge["external_reference"])
        if charge["date_approved"] is None or payment is None:
            continue
        bought = purchases[payment.purchase_id]
        is_booked = bought.virtual_class_id is not None
        if bought.is_unpaid and is_booked and not _is_reviewed(payment):
            yield _break("lost", "payment", f"of {bought.pk}")


def _ledger_is_the_providers(rows: Rows, outside: Outside) -> Iterator[Violation]:
    """The entries of a charge add up to what the provider still has of it."""
    booked: Counter[str] = Counter()
    for entry in rows.entries:
        if entry.charge is not None:
            booked[entry.charge.charge_id] += entry.amount
    rows_by_id = {one.charge_id: one for one in rows.charges}
    references = {one.reference for one in rows.payments}
    for charge in outside.charges:
        if charge["date_approved"] is None:
            continue
        charge_id = str(charge["id"])
        row = rows_by_id.get(charge_id)
        if row is None:
            if charge["external_reference"] in references:
                yield _break("lost", "entry", f"of the charge {charge_id}")
        elif row.problem not in FOREIGN and booked[charge_id] != (left := _left_of(charge)):
            yield _break("wrong", "entry", f"{charge_id}: {booked[charge_id]}, not {left}")


def _left_of(charge: dict[str, Any]) -> int:
    if charge["status"] == "charged_back":
        return 0
    return round(100 * (charge["transaction_amount"] - charge["transaction_amount_refunded"]))


def _her_word_is_booked_once(rows: Rows) -> Iterator[Violation]:
    """A transfer that came, and money that the teacher returned, have one entry each."""
    arrivals = Counter(one.transfer_id for one in rows.entries if one.kind == EntryKind.PAYMENT)
    sources = Counter(one.source for one in rows.entries)
    told = [
        (f"of the transfer {one.pk}", one.state == TransferState.CONFIRMED, arrivals[one.pk])
        for one in rows.transfers
    ]
    told += [
        (f"of the return {one.pk}", one.status == RefundStatus.DONE, sources[f"refund:{one.pk}"])
        for one in rows.refunds
        if one.is_by_hand
    ]
    for about, is_done, made in told:
        if made != int(is_done):
            yield _break("lost" if is_done and not made else "doubled", "entry", about)


def _sums_fit_the_state(rows: Rows) -> Iterator[Violation]:
    """What is paid was paid in full; of what ended, no more is left than was kept."""
    entries: defaultdict[uuid.UUID, list[Entry]] = defaultdict(list)
    for entry in rows.entries:
        entries[entry.purchase_id].append(entry)
    refunds: defaultdict[uuid.UUID, list[Refund]] = defaultdict(list)
    for refund in rows.refunds:
        refunds[refund.purchase_id].append(refund)
    payments = _payments_by_purchase(rows)
    for one in rows.purchases:
        found, is_seen = entries[one.pk], _is_reviewed(payments.get(one.pk))
        left = sum(entry.amount for entry in found)
        was_taken_back = any(entry.kind == EntryKind.CHARGEBACK for entry in found)
        if left < 0 and not was_taken_back:
            yield _break("wrong", "balance", f"{left} of {one.pk}")
        # What the teacher chose to return ends nothing, and comes out of what she had kept.
        by_her = sum(
            refund.amount
            for refund in refunds[one.pk]
            if refund.reason == RefundReason.BY_TEACHER and refund.status == RefundStatus.DONE
        )
        if one.state == PurchaseState.PAID and one.price > 0:
            yield from _paid_in_full(one, found, is_seen=is_seen or was_taken_back or by_her > 0)
        waits = any(refund.is_open for refund in refunds[one.pk])
        kept = one.amount_kept or 0
        is_left = max(0, kept - by_her) <= left <= kept
        if one.is_given_up and not waits and not is_seen and not is_left:
            yield _break("lost", "refund", f"{left} are left of {one.pk}")


def _paid_in_full(one: Purchase, entries: list[Entry], *, is_seen: bool) -> Iterator[Violation]:
    came = sum(entry.amount for entry in entries if entry.amount > 0 and not entry.is_second)
    if came < one.price:
        yield _break("lost", "entry", f"{came} of {one.price} for {one.pk}")
    elif not is_seen and sum(entry.amount for entry in entries) <= 0:
        yield _break("wrong", "refund", f"of {one.pk}, which is paid")


def _payments_by_purchase(rows: Rows) -> dict[uuid.UUID, Payment]:
    return {one.purchase_id: one for one in rows.payments}


def _is_reviewed(payment: Payment | None) -> bool:
    return bool(payment and payment.review)


def _break(kind: Kind, subject: str, about: str) -> Violation:
    return Violation("I5", kind, subject, about)
