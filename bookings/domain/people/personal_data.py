"""The export of a person's own data."""

import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from accounts.models import User
from accounts.personal_data import describe_account
from bookings.domain.queries import list_classes_of
from bookings.models import Payment, VirtualClass


def export_person(user: User) -> str:
    """Return a person's data as JSON; times are ISO 8601, amounts centavos.

    Without tokens, other participants, and access codes of other hosts' classes.
    """
    data = {
        **describe_account(user),
        "classes": [
            _describe_class(one, user)
            for one in list_classes_of(user).prefetch_related("activities")
        ],
        "payments": [
            _describe_payment(one)
            for one in user.payments.order_by("created_at").prefetch_related("charges__refunds")
        ],
        "keptTimes": [
            {"start": hold.start_time, "end": hold.end_time, "until": hold.expires_at}
            for hold in user.holds.all()
        ],
        "waitingFor": [
            {"class": entry.virtual_class_id, "since": entry.created_at, "state": entry.state}
            for entry in user.waiting_list_entries.all()
        ],
        "mails": [
            {
                "about": notice.get_kind_display(),
                "class": notice.virtual_class_id,
                "dueAt": notice.due_at,
                "sentAt": notice.sent_at,
            }
            for notice in user.notices.order_by("created_at")
        ],
    }
    return json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)


def _describe_class(virtual_class: VirtualClass, user: User) -> dict[str, Any]:
    is_host = virtual_class.is_hosted_by(user)
    own = {
        "preferenceId": virtual_class.preference_id,
        "classPrice": virtual_class.class_price,
        "learningFocus": virtual_class.learning_focus,
        "accessCode": virtual_class.access_code,
        "paidAt": virtual_class.paid_at,
    }
    return {
        "id": virtual_class.pk,
        "startTime": virtual_class.start_time,
        "endTime": virtual_class.end_time,
        "classType": virtual_class.class_type,
        "status": virtual_class.status,
        "htmlLink": virtual_class.html_link,
        "bookedByYou": is_host,
        **(own if is_host else {}),
        "yourPart": [
            {"rol": part.rol, "completed": part.completed, "missed": part.no_show}
            for part in virtual_class.activities.all()
            if part.user_id == user.pk
        ],
        "createdAt": virtual_class.created_at,
    }


def _describe_payment(payment: Payment) -> dict[str, Any]:
    return {
        "id": payment.pk,
        "class": payment.virtual_class_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "status": payment.status,
        "createdAt": payment.created_at,
        "approvedAt": payment.approved_at,
        "charges": [
            {
                "number": charge.charge_id,
                "status": charge.status,
                "amount": charge.amount,
                "refundedAmount": charge.refunded_amount,
                "method": charge.method,
                "refunds": [
                    {"amount": refund.amount, "status": refund.status, "at": refund.created_at}
                    for refund in charge.refunds.all()
                ],
            }
            for charge in payment.charges.all()
        ],
    }
