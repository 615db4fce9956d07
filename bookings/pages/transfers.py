"""Pay a class, or a seat of an open class, by bank transfer, and announce it."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.change_policy import ChangeTerms
from bookings.domain.checkout.transfer_times import (
    BankAccount,
    find_account,
    keep_seat_until,
    keep_until,
    refuse_to_wait,
)
from bookings.domain.checkout.transfers import announce_transfer, choose_transfer
from bookings.domain.exceptions import (
    BookingError,
    OperationNumberError,
    TransferNotOfferedError,
    TransfersOffError,
)
from bookings.domain.queries import get_class
from bookings.models import (
    BankTransfer,
    Hold,
    Payment,
    Seat,
    SeatState,
    TransferState,
    VirtualClass,
    is_second_payment,
    with_rest,
)
from bookings.models import normalize_operation_number as normalize
from bookings.pages.access import signed_in
from bookings.pages.class_card import ClassCard, present_class


class AnnounceForm(forms.Form):
    operation_number = forms.CharField(
        label=gettext_lazy("Número de operación"),
        help_text=gettext_lazy("Está en el comprobante de tu banco o billetera."),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Escribí el número del comprobante.")},
    )

    def clean_operation_number(self) -> str:
        number = normalize(self.cleaned_data["operation_number"])
        if number is None:
            raise forms.ValidationError(OperationNumberError.text)
        return number


@dataclass(frozen=True, slots=True)
class TransferCard:
    """amount: centavos. is_open: its time is still kept. last: the last announcement. choose_url:
    keeps the time longer; empty if not offered. refusal: why not, if the student may know.
    """

    account: BankAccount
    amount: int
    announce_url: str
    form: AnnounceForm
    is_for_seat: bool = False
    is_open: bool = True
    kept_until: datetime | None = None
    last: BankTransfer | None = None
    choose_url: str = ""
    refusal: Promise | str = ""

    @property
    def state(self) -> str:
        """A TransferState; empty if nothing was announced."""
        return self.last.state if self.last else ""

    @property
    def plain_amount(self) -> str:
        """The amount as a bank's form takes it: ``15000`` or ``15000,50``."""
        pesos, centavos = divmod(self.amount, 100)
        return f"{pesos},{centavos:02}" if centavos else str(pesos)

    @property
    def can_announce(self) -> bool:
        return self.state in {"", TransferState.REFUSED}


@dataclass(frozen=True, slots=True)
class WaysToPay:
    """amount: centavos. is_open: its time is still kept. checkout_url, payment_url: of an online
    payment. pay_url: redirects to the checkout and remembers a class link.
    """

    amount: int
    terms: ChangeTerms | None
    is_open: bool = True
    kept_until: datetime | None = None
    checkout_url: str = ""
    payment_url: str = ""
    pay_url: str = ""
    transfer: TransferCard | None = None

    @property
    def is_online(self) -> bool:
        return bool(self.checkout_url or self.pay_url)

    @property
    def by_hand(self) -> bool:
        """True if teacher and student arrange the payment themselves."""
        return self.is_open and not self.payment_url and self.transfer is None


@dataclass(frozen=True, slots=True)
class TransferOffer:
    """until: how long the time would be kept. refusal: why a transfer is not offered."""

    until: datetime | None = None
    refusal: Promise | str = ""


def find_transfer_offer(user: User, start: datetime) -> TransferOffer | None:
    """Return None if the teacher takes no transfers."""
    now = timezone.now()
    try:
        refuse_to_wait(user, keep_until(start, now), now)
    except TransfersOffError:
        return None
    except TransferNotOfferedError as refusal:
        return TransferOffer(refusal=refusal.text)
    return TransferOffer(until=keep_until(start, now))


def present_ways(
    card: ClassCard,
    payment: Payment | None,
    *,
    announce_url: str = "",
    form: AnnounceForm | None = None,
) -> WaysToPay | None:
    """Return how the host may pay; None if there is nothing to pay.

    announce_url: takes the announcement without a session. form: as it was sent.
    """
    virtual_class = card.virtual_class
    is_unpaid = virtual_class.paid_at is None and virtual_class.class_price > 0
    if not (card.is_host and is_unpaid and card.state in {"pending", "expired", "lost"}):
        return None
    is_open = card.state == "pending"
    transfer = _present_transfer(card, announce_url, form)
    # Do not ask a student who announced a transfer to pay again.
    is_announced = transfer is not None and transfer.state == TransferState.ANNOUNCED
    can_check_out = payment and not payment.has_expired() and is_open and not is_announced
    return WaysToPay(
        amount=virtual_class.class_price,
        terms=card.terms,
        is_open=is_open,
        kept_until=card.kept_until,
        checkout_url=payment.checkout_url if payment and can_check_out else "",
        payment_url=reverse("bookings:payment", args=[payment.pk]) if payment else "",
        transfer=transfer,
    )


def present_seat_transfer(seat: Seat, form: AnnounceForm | None = None) -> TransferCard | None:
    """Return None if the seat is paid, free or given up, or transfers are off."""
    account = find_account()
    if account is None or seat.state != SeatState.HELD or seat.price == 0:
        return None
    own_page = reverse("bookings:seat_transfer", args=[seat.pk])
    is_live, last = seat.is_live(), seat.transfers.first()
    is_short = is_live and not seat.for_transfer and last is None
    refusal = _find_refusal(seat) if is_short else ""
    return TransferCard(
        account=account,
        amount=seat.price,
        announce_url=own_page,
        form=form or AnnounceForm(),
        is_for_seat=True,
        is_open=is_live,
        kept_until=seat.expires_at if is_live else None,
        last=last,
        choose_url=own_page if is_short and not refusal else "",
        refusal=refusal,
    )


def present_transfer_in_vain(virtual_class: VirtualClass) -> BankTransfer | None:
    """Return, ``with_rest``, a second payment that the teacher returns, or what she returned."""
    owed = Q(state=TransferState.TO_RETURN) & is_second_payment()
    back = virtual_class.transfers.filter(owed | Q(state=TransferState.RETURNED))
    return with_rest(back).first()


def _present_transfer(
    card: ClassCard, announce_url: str, form: AnnounceForm | None
) -> TransferCard | None:
    account = find_account()
    if account is None:
        return None
    virtual_class = card.virtual_class
    own_page = reverse("bookings:transfer", args=[virtual_class.pk])
    hold: Hold | None = getattr(virtual_class, "hold", None)
    is_short = card.kept_until is not None and hold is not None and not hold.for_transfer
    refusal = _find_refusal(virtual_class) if is_short else ""
    return TransferCard(
        account=account,
        amount=virtual_class.class_price,
        announce_url=announce_url or own_page,
        form=form or AnnounceForm(),
        is_open=card.state == "pending",
        kept_until=card.kept_until,
        last=virtual_class.transfers.first(),
        choose_url=own_page if is_short and not refusal and not announce_url else "",
        refusal=refusal,
    )


def _find_refusal(about: VirtualClass | Seat) -> Promise | str:
    now = timezone.now()
    if isinstance(about, Seat):
        user, until = about.user, keep_seat_until(about, now)
    else:
        user, until = about.booked_by, keep_until(about.start_time, now)
    try:
        refuse_to_wait(user, until, now, besides=about)
    except TransferNotOfferedError as refusal:
        return refusal.text
    return ""


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def pay_by_transfer(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Announce the transfer that paid a class, or keep its time longer."""
    classes = VirtualClass.objects.select_related("booked_by", "hold", "payment")
    virtual_class = get_class(classes, pk=class_id, booked_by=request.user)
    back = reverse("bookings:class", args=[class_id])
    form = _take_form(request, virtual_class)
    if form is None:
        return redirect(back)
    card = present_class(virtual_class, request.user)
    ways = present_ways(card, None, form=form)
    return _show(request, back, str(card.title), virtual_class, ways.transfer if ways else None)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def pay_seat_by_transfer(request: SignedInRequest, seat_id: uuid.UUID) -> HttpResponse:
    seats = Seat.objects.select_related("open_class__virtual_class")
    seat = get_object_or_404(seats, pk=seat_id, user=request.user)
    back = reverse("bookings:seat", args=[seat_id])
    form = _take_form(request, seat)
    if form is None:
        return redirect(back)
    open_class, transfer = seat.open_class, present_seat_transfer(seat, form)
    return _show(request, back, open_class.title, open_class.virtual_class, transfer)


def _take_form(request: SignedInRequest, about: VirtualClass | Seat) -> AnnounceForm | None:
    """Keep the time or announce the transfer, as the request asks; else return the form to show."""
    if "esperar" in request.POST:
        _keep_time(request, about)
        return None
    form = AnnounceForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        take_announcement(request, form, user=request.user, about=about)
        return None
    return form


def take_announcement(
    request: HttpRequest, form: AnnounceForm, *, user: User, about: VirtualClass | Seat
) -> None:
    number = form.cleaned_data["operation_number"]
    try:
        announce_transfer(user=user, about=about, operation_number=number)
        messages.success(request, _("Listo: le avisamos a la profe. Falta que la confirme."))
    except BookingError as refusal:
        messages.warning(request, refusal.text)


def _keep_time(request: SignedInRequest, about: VirtualClass | Seat) -> None:
    try:
        choose_transfer(user=request.user, about=about)
        text = _("Te guardamos el horario para que transfieras.")
        seat_text = _("Te guardamos el lugar para que transfieras.")
        messages.success(request, seat_text if isinstance(about, Seat) else text)
    except BookingError as refusal:
        messages.warning(request, refusal.text)


def _show(
    request: HttpRequest,
    back: str,
    title: str,
    virtual_class: VirtualClass,
    transfer: TransferCard | None,
) -> HttpResponse:
    if transfer is None or not transfer.can_announce:
        return redirect(back)
    context = {
        "back": back,
        "name": title,
        "start": virtual_class.start_time,
        "form": transfer.form,
        "transfer": transfer,
    }
    return render(request, "bookings/sales/transfer.html", context)
