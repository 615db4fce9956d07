"""The export of a person's own data."""

import json
import re
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, Q

from accounts.models import User
from accounts.personal_data import describe_account
from bookings.domain.queries import list_classes_of
from bookings.models import (
    BankTransfer,
    ClassLink,
    Entry,
    Hold,
    Message,
    NoticeKind,
    Payment,
    Purchase,
    Refund,
    VirtualClass,
)

CLASS_FIELDS = "id", "start_time", "end_time", "class_type", "status", "html_link", "created_at"
# For the host only.
HOST_FIELDS = "preference_id", "class_price", "access_code"


def export_person(user: User) -> str:
    """Return a person's data as JSON; times are ISO 8601, amounts centavos.

    Leaves out tokens, other participants, and other hosts' access codes.
    """
    data = {
        **describe_account(user),
        "classes": [
            _describe_class(one, user)
            for one in list_classes_of(user).prefetch_related("activities")
        ],
        "payments": [
            _describe_payment(one)
            for one in Payment.objects.filter(purchase__person=user)
            .select_related("purchase")
            .order_by("created_at")
            .prefetch_related("charges__refunds")
        ],
        "moneyMoved": [
            _pick(one, "kind", "way", "amount", "at")
            for one in Entry.objects.filter(purchase__person=user)
        ],
        "moneyToReturn": [
            _pick(one, "way", "amount", "status", "created_at", "done_at")
            for one in Refund.objects.by_hand().filter(purchase__person=user)
        ],
        "transfers": [
            _describe_transfer(one)
            for one in BankTransfer.objects.with_purchases().filter(purchase__person=user)
        ],
        "classLinks": [
            {"class": link.pk, "since": link.created_at, "claimedAt": link.claimed_at}
            for link in ClassLink.objects.filter(Q(made_for=user) | Q(claimed_by=user))
        ],
        "keptTimes": [
            _describe_hold(one) for one in user.holds.select_related("offer", "purchase")
        ],
        "purchases": [_describe_purchase(one) for one in user.purchases.all()],
        "waitingFor": [
            {"class": entry.virtual_class_id, "since": entry.created_at, "state": entry.state}
            for entry in user.waiting_list_entries.all()
        ],
        "mails": _describe_mails(user),
    }
    return json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)


def _describe_class(virtual_class: VirtualClass, user: User) -> dict[str, Any]:
    is_host = virtual_class.is_hosted_by(user)
    return {
        **_pick(virtual_class, *CLASS_FIELDS, *(HOST_FIELDS if is_host else ())),
        **(_export_words(virtual_class) if is_host else {}),
        "offer": virtual_class.offer.name if virtual_class.offer else "",
        "bookedByYou": is_host,
        "yourPart": [
            {"rol": part.rol, "completed": part.completed, "missed": part.no_show}
            for part in virtual_class.activities.all()
            if part.user_id == user.pk
        ],
    }


def _export_words(virtual_class: VirtualClass) -> dict[str, Any]:
    words = _pick(virtual_class, *VirtualClass.TYPED)
    return words if virtual_class.shows_words else dict.fromkeys(words, "")


def _describe_transfer(transfer: BankTransfer) -> dict[str, Any]:
    return {
        "class": transfer.purchase.virtual_class_id,
        **_pick(transfer, "amount", "operation_number", "state", "announced_at", "decided_at"),
    }


def _describe_hold(hold: Hold) -> dict[str, Any]:
    return {
        "start": hold.start_time,
        "end": hold.end_time,
        "until": hold.ends_at,
        "offer": hold.offer.name if hold.offer else "",
    }


def _describe_purchase(purchase: Purchase) -> dict[str, Any]:
    return {
        **_pick(purchase, "id", "kind", "price", "discount", "state", "created_at"),
        **_pick(purchase, "kept_until", "paid_at", "amount_kept"),
        "class": purchase.virtual_class_id,
        "discountCode": purchase.discount_name,
    }


def _describe_mails(user: User) -> list[dict[str, Any]]:
    notices = list(user.notices.order_by("created_at"))
    occasions = [one.occasion for one in notices if one.kind == NoticeKind.MESSAGE]
    words = {
        one.occasion: _pick(one, "subject", "text")
        for one in Message.objects.filter(pk__in=occasions)
    }
    return [
        {
            "about": notice.get_kind_display(),
            "class": notice.virtual_class_id,
            "dueAt": notice.due_at,
            "sentAt": notice.sent_at,
            **words.get(notice.occasion, {}),
        }
        for notice in notices
    ]


def _describe_payment(payment: Payment) -> dict[str, Any]:
    return {
        **_pick(payment, "id", "amount", "currency", "status", "created_at", "approved_at"),
        "class": payment.purchase.virtual_class_id,
        "charges": [
            {
                "number": charge.charge_id,
                **_pick(charge, "status", "amount", "refunded_amount", "method"),
                "refunds": [
                    {"amount": refund.amount, "status": refund.status, "at": refund.created_at}
                    for refund in charge.refunds.all()
                ],
            }
            for charge in payment.charges.all()
        ],
    }


def _pick(row: Model, *fields: str) -> dict[str, Any]:
    return {
        re.sub("_(.)", lambda found: found[1].upper(), name): getattr(row, name) for name in fields
    }
