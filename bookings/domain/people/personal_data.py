"""A person's data: the export, and the erasure of what is only theirs."""

import json
import logging
import re
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User, UserStatus
from accounts.personal_data import describe_account, erase_account, erase_from_log
from accounts.services import strike_out
from bookings.domain.calendar.guests import request_guests
from bookings.domain.change_policy import refuse_old_sign_in
from bookings.domain.classes.cancelling import cancel_class, decide_cancelling
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.exceptions import BookingError, ClassesAheadError, TransferWaitsError
from bookings.domain.people.claiming import return_claim
from bookings.domain.places.waiting_list import leave_every_line
from bookings.domain.queries import list_classes_of
from bookings.domain.sales.buying import release_places
from bookings.domain.sales.receipts import delete_receipts
from bookings.models import (
    UNDECIDED,
    BankTransfer,
    ClassEvent,
    ClassLink,
    ClassLog,
    ClassStatus,
    Entry,
    Hold,
    Message,
    Notice,
    NoticeKind,
    Payment,
    Purchase,
    Refund,
    TransferState,
    UserActivity,
    VirtualClass,
)
from bookings.webhooks.events import announce_events
from calendar_sync import CalendarError

logger = logging.getLogger(__name__)

# After the class, the teacher may undo a claim for this long.
CLAIM_KEPT = timedelta(days=14)
PEOPLE_AT_ONCE = 100
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
        "hasReceipt": bool(transfer.receipt),
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


def erase_person(*, user: User, by: User, fresh_sign_in: bool = False) -> None:
    """Erase account, mails and unpaid bookings; idempotent.

    Payments, and classes paid or given, stay without a name. A class that a link brought goes back
    to the person for whom the teacher booked it. Raises, without writing, ClassesAheadError,
    TransferWaitsError, BookingError for the teacher, FreshSignInNeededError, NotHostError if ``by``
    may not cancel a class.
    """
    ahead = list_classes_to_cancel(user)
    refuse_old_sign_in(by, fresh_sign_in=fresh_sign_in)
    for virtual_class in ahead:
        try:
            # A later payment is refunded automatically.
            cancel_class(class_id=virtual_class.pk, actor=by, fresh_sign_in=fresh_sign_in)
        except CalendarError:
            # The class is cancelled; the sweep withdraws its event.
            logger.warning("The event of class %s stays for the sweep.", virtual_class.pk)
    delete_receipts(BankTransfer.objects.filter(purchase__person=user))
    for link in list_claims(user):
        with suppress(BookingError):  # the teacher decided meanwhile
            return_claim(class_id=link.pk, by=user)
    leave_every_line(user=user)
    release_places(user=user)
    with transaction.atomic():
        # Before the log of cancelled classes is deleted with them.
        booked = VirtualClass.objects.filter(booked_by=user)
        announce_events(ClassLog.objects.filter(virtual_class__in=booked))
        erase_from_log(user=user)
        _forget_bookings(user)
        erase_account(user=user)
        request_guests(VirtualClass.objects.filter(activities__user=user))
    logger.info("Account %s was erased.", user.pk)


def list_classes_to_cancel(user: User) -> list[VirtualClass]:
    """List unpaid classes, without those of ``list_claims``.

    Raises ClassesAheadError if any is settled, TransferWaitsError, BookingError for staff.
    """
    if user.is_staff:
        raise BookingError(_("La cuenta con la que das clases no se puede borrar."))
    claimed = [link.pk for link in list_claims(user)]
    theirs = Q(purchase__person=user) & ~Q(purchase__virtual_class__in=claimed)
    announced = BankTransfer.objects.announced().filter(theirs)
    if announced.exists() or Refund.objects.by_hand().open().filter(theirs).exists():
        raise TransferWaitsError
    takes_part = UserActivity.objects.filter(virtual_class=OuterRef("pk"), user=user)
    ahead = VirtualClass.objects.exclude(pk__in=claimed).filter(
        Q(booked_by=user) | Exists(takes_part),
        end_time__gt=timezone.now(),
        status__in=[ClassStatus.PENDING, ClassStatus.SCHEDULED],
    )
    if any(one.is_scheduled or one.is_being_scheduled or one.is_paid for one in ahead):
        raise ClassesAheadError
    return list(ahead)


def list_claims(user: User) -> list[ClassLink]:
    """List the links by which the account claimed classes, and which the teacher did not decide."""
    claims = ClassLink.objects.filter(UNDECIDED, claimed_by=user)
    return list(claims.select_related("virtual_class", "made_for").order_by("pk"))


def forget_claims() -> int:
    """Delete placeholders whose classes were all claimed CLAIM_KEPT ago or more; return how many.

    The teacher's notes stay with the class, for her.
    """
    claims = ClassLink.objects.filter(made_for=OuterRef("pk"))
    recent = claims.filter(virtual_class__end_time__gt=timezone.now() - CLAIM_KEPT)
    people = User.objects.filter(
        Exists(claims), ~Exists(recent), status=UserStatus.PLACEHOLDER, booked_classes=None
    )
    return sum(map(_forget_placeholder, people[:PEOPLE_AT_ONCE]))


@transaction.atomic
def _forget_placeholder(person: User) -> bool:
    links = ClassLink.objects.filter(made_for=person)
    classes = list(links.values_list("pk", flat=True))
    list(VirtualClass.objects.select_for_update().filter(pk__in=classes).order_by("pk"))
    if not User.objects.select_for_update().filter(pk=person.pk).exists():
        return False
    links.update(made_for=None)
    if person.private_notes:
        claimed = ClassLog.objects.filter(virtual_class__in=classes, event=ClassEvent.CLAIMED)
        claimed.update(reason=f"Tus notas: {person.private_notes}")
    _forget_mails(person)
    erase_from_log(user=person)
    is_gone = strike_out(person=person)
    transaction.set_rollback(not is_gone)  # another row names the person
    return is_gone


def foresee_erasing(*, user: User, by: User) -> Consequences[list[VirtualClass]]:
    """Dry-run ``erase_person``, with its errors, without the person's own mails."""
    ahead = list_classes_to_cancel(user)
    lines = user.waiting_list_entries.open().values_list("virtual_class", flat=True)

    def decide() -> list[VirtualClass]:
        for virtual_class in ahead:
            decide_cancelling(virtual_class.pk, by, fresh_sign_in=True)
        leave_every_line(user=user)
        release_places(user=user)
        return ahead

    seen = foresee(decide, [*lines, *(one.pk for one in ahead)])
    return replace(seen, mails=[mail for mail in seen.mails if mail.user_id != user.pk])


def _forget_mails(user: User) -> None:
    """Delete a person's mails, and messages to that person alone."""
    messages = user.notices.filter(kind=NoticeKind.MESSAGE)
    occasions = list(messages.values_list("occasion", flat=True))
    user.notices.all().delete()
    for occasion in occasions:
        if not Notice.objects.filter(kind=NoticeKind.MESSAGE, occasion=occasion).exists():
            Message.objects.filter(pk=occasion).delete()


def _forget_bookings(user: User) -> None:
    user.holds.all().delete()
    # ``settle_place`` refunds money that arrives for the others.
    bare = {"paid_at": None, "payment": None, "transfers": None, "entries": None, "refunds": None}
    user.purchases.places().filter(**bare).delete()
    user.waiting_list_entries.all().delete()
    _forget_mails(user)
    # The others are about money that came, or may still come.
    refused = BankTransfer.objects.filter(purchase__person=user, state=TransferState.REFUSED)
    refused.delete()
    booked = VirtualClass.objects.filter(booked_by=user)
    others = UserActivity.objects.filter(virtual_class=OuterRef("pk")).exclude(user=user)
    # Only classes without money and guests; a withdrawal still needs its row.
    unsold = user.purchases.classes().filter(**bare)
    sold = Purchase.objects.filter(virtual_class=OuterRef("pk")).exclude(pk__in=unsold.values("pk"))
    booked.filter(
        ~Exists(others),
        ~Exists(sold),
        status__in=[ClassStatus.PENDING, ClassStatus.CANCELLED],
        withdrawal_requested_at=None,
    ).delete()
    lost = ClassLink.objects.filter(UNDECIDED, made_for=user)
    # Free text may identify the person.
    about = VirtualClass.objects.filter(Q(booked_by=user) | Q(pk__in=lost.values("pk")))
    about.update(**dict.fromkeys(VirtualClass.TYPED, ""))
    lost.update(made_for=None)
    ClassLog.objects.filter(actor=user).update(reason="")
