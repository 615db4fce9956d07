"""Rules that skip an obsolete mail."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from django.utils import timezone

from accounts.models import UserStatus
from bookings.models import (
    UNDECIDED,
    BankTransfer,
    ClassLink,
    ClassStatus,
    MinimumDecision,
    Notice,
    Purchase,
    PurchaseState,
    Refund,
    TransferState,
    UserActivity,
    VirtualClass,
    find_open_class,
    not_connected_since,
)
from bookings.notices.facts import (
    find_entry,
    find_place,
    find_transfer,
    link_address,
)

# For a booking that the teacher's mail of the day lists.
GATHERED = "Va en el correo del día."
ALL_CANCELLED = "Todo lo reservado se canceló antes de que saliera."


class SkipRule(NamedTuple):
    """reason: stored with the mail."""

    reason: str
    is_obsolete: Callable[[Notice], bool]


def _is_in_class(notice: Notice) -> bool:
    places = UserActivity.objects.filter(virtual_class=notice.virtual_class, user=notice.user)
    return places.exists()


def _is_in_line(notice: Notice) -> bool:
    entry = find_entry(notice)
    return entry is not None and entry.is_open and not _is_in_class(notice)


def _is_offer_over(notice: Notice) -> bool:
    entry = find_entry(notice)
    return entry is None or not entry.is_live(timezone.now())


def _is_replaced(notice: Notice) -> bool:
    later = Notice.objects.filter(
        virtual_class=notice.virtual_class,
        user=notice.user,
        kind=notice.kind,
        created_at__gt=notice.created_at,
        # A clock that was ahead wrote a notice with a future time: it replaces nothing.
        created_at__lte=timezone.now(),
    )
    return later.exists()


def _is_kept_until_paid(virtual_class: VirtualClass) -> bool:
    purchase = virtual_class.purchase
    return purchase is not None and purchase.is_kept()


def _is_minimum_decided(notice: Notice) -> bool:
    open_class = find_open_class(notice.virtual_class)
    return open_class is None or open_class.decision != MinimumDecision.WAITING


def _has_lapsed_unpaid(virtual_class: VirtualClass) -> bool:
    purchase = virtual_class.purchase
    is_pending = virtual_class.status == ClassStatus.PENDING
    return is_pending and purchase is not None and _has_run_out(purchase)


def _has_place_lapsed(notice: Notice) -> bool:
    return notice.require_class().is_scheduled and _has_run_out(find_place(notice))


def _has_run_out(purchase: Purchase) -> bool:
    # Not LAPSED: of a class that lost its time to a paid one, another mail said so, and of a place
    # that was given up nothing has to be said.
    return purchase.state == PurchaseState.KEPT and not purchase.is_kept()


def _is_told_together(notice: Notice) -> bool:
    # A mail sent since then names every transfer that waits. A minute, because its text may have
    # been rendered before this transfer was stored.
    known_at = notice.created_at + timedelta(minutes=1)
    others = Notice.objects.filter(user=notice.user, kind=notice.kind, sent_at__gt=known_at)
    return others.exclude(pk=notice.pk).exists()


def _is_place_given_up(notice: Notice) -> bool:
    return find_place(notice).state not in {PurchaseState.KEPT, PurchaseState.PAID}


def _is_refusal_settled(notice: Notice) -> bool:
    refused = find_transfer(notice)
    others = BankTransfer.objects.filter(
        purchase=refused.purchase_id, announced_at__gt=refused.announced_at
    )
    virtual_class = notice.require_class()
    return virtual_class.status == ClassStatus.CANCELLED or others.exists()


def _is_claim_decided(notice: Notice) -> bool:
    return not ClassLink.objects.filter(UNDECIDED, pk=notice.virtual_class_id).exists()


def _is_reconnected(notice: Notice) -> bool:
    saved_at = notice.user.provider_token_saved_at
    return saved_at is not None and saved_at > notice.created_at


def _is_account_accepted(notice: Notice) -> bool:
    return not_connected_since() is None


erased = SkipRule("La persona borró su cuenta.", lambda one: one.user.status == UserStatus.ERASED)
unreachable = SkipRule(
    "La persona no tiene cuenta, ni un correo que sepamos.", lambda one: not one.user.mail_address
)
no_link = SkipRule(
    "La clase ya no tenía un enlace.", lambda one: not link_address(one.require_class())
)
over = SkipRule("La clase ya había terminado.", lambda one: one.require_class().has_ended())
cancelled = SkipRule(
    "La clase se canceló.", lambda one: one.require_class().status == ClassStatus.CANCELLED
)
not_scheduled = SkipRule(
    "La clase ya no estaba agendada.", lambda one: not one.require_class().is_scheduled
)
not_in_class = SkipRule("La persona ya no estaba en la clase.", lambda one: not _is_in_class(one))
back_in_class = SkipRule("La persona volvió a la clase.", _is_in_class)
not_in_line = SkipRule("La persona ya no esperaba un lugar.", lambda one: not _is_in_line(one))
# Only the last mail of a kind to a person about a class leaves.
replaced = SkipRule("Un correo posterior lo reemplaza.", _is_replaced)
offer_over = SkipRule("El lugar ya no se ofrecía.", _is_offer_over)
price_decided = SkipRule("Ya lo habías decidido.", lambda one: not one.require_class().is_undecided)
minimum_decided = SkipRule("Ya lo habías decidido.", _is_minimum_decided)
not_to_pay = SkipRule(
    "La clase ya no esperaba su pago.", lambda one: not _is_kept_until_paid(one.require_class())
)
not_lapsed = SkipRule(
    "La clase no se venció sin pagar.", lambda one: not _has_lapsed_unpaid(one.require_class())
)
place_not_lapsed = SkipRule(
    "El lugar no se venció sin pagar.", lambda one: not _has_place_lapsed(one)
)
place_given_up = SkipRule("El lugar ya se dejó.", _is_place_given_up)
transfer_decided = SkipRule(
    "Sobre la transferencia ya se había decidido.",
    lambda one: find_transfer(one).state != TransferState.ANNOUNCED,
)
told_together = SkipRule("Otro correo ya la nombró.", _is_told_together)
announced_again = SkipRule(
    "La persona avisó otra transferencia, o la clase ya no se paga.", _is_refusal_settled
)
refund_settled = SkipRule(
    "La devolución se pidió de nuevo o se hizo de otra manera.",
    lambda one: not Refund.objects.named(one.occasion).owed,
)
claim_decided = SkipRule("Sobre la cuenta ya se había decidido.", _is_claim_decided)
reconnected = SkipRule("El calendario ya se había reconectado.", _is_reconnected)
account_accepted = SkipRule(reconnected.reason, _is_account_accepted)
