"""How a purchase may be paid; paying it by bank transfer, and announcing that."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import (
    BookingError,
    OperationNumberError,
    PhotoError,
    TransferNotOfferedError,
    TransfersOffError,
)
from bookings.domain.sales.holds import (
    find_account,
    find_kept_until,
    find_purchase_kept_until,
    refuse_to_wait,
)
from bookings.domain.sales.receipts import RECEIPT_LIFE
from bookings.domain.sales.transfers import announce_transfer, choose_transfer
from bookings.models import BookingRules, ChangeTerms, MoneyWay, Purchase
from bookings.models import normalize_operation_number as normalize
from bookings.money_state import MoneyState
from bookings.pages.access import signed_in
from bookings.pages.forms import PhotoField, refuse_large_photo
from bookings.pages.money_card import MoneyCard


class AnnounceForm(forms.Form):
    operation_number = forms.CharField(
        label=gettext_lazy("Número de operación"),
        help_text=gettext_lazy("Está en el comprobante de tu banco o billetera."),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Escribí el número del comprobante.")},
    )

    receipt = PhotoField(
        label=gettext_lazy("Foto del comprobante"),
        help_text=format_lazy(
            gettext_lazy("La borramos a los {days} días."),
            days=RECEIPT_LIFE.days,
        ),
    )

    def clean_operation_number(self) -> str:
        number = normalize(self.cleaned_data["operation_number"])
        if number is None:
            raise forms.ValidationError(OperationNumberError.text)
        return number

    def clean(self) -> None:
        if self.errors and self.cleaned_data.get("receipt"):  # a browser sends it once
            self.add_error("receipt", _("Volvé a elegir la foto."))


@dataclass(frozen=True, slots=True)
class TransferCard:
    """choose_url: keeps the time or place longer; empty if not offered. refusal: why not, if the
    student may know.
    """

    money: MoneyCard
    account: BookingRules
    announce_url: str
    form: AnnounceForm
    choose_url: str = ""
    refusal: Promise | str = ""

    @property
    def is_chosen(self) -> bool:
        """True if the buyer chose this way, or announced it and the money did not come."""
        is_kept_for_it = self.money.purchase.kept_for == MoneyWay.TRANSFER
        return is_kept_for_it or self.money.state is MoneyState.TRANSFER_REFUSED

    @property
    def plain_amount(self) -> str:
        """The amount as a bank's form takes it: ``15000`` or ``15000,50``."""
        pesos, centavos = divmod(self.money.purchase.missing, 100)
        return f"{pesos},{centavos:02}" if centavos else str(pesos)


@dataclass(frozen=True, slots=True)
class WaysToPay:
    """checkout_url: of the provider. pay_url: redirects there and remembers a class link.
    payment_url: another page that shows the payment. refresh_url: of this page.
    """

    money: MoneyCard
    transfer: TransferCard | None
    checkout_url: str = ""
    pay_url: str = ""
    payment_url: str = ""
    refresh_url: str = ""

    @property
    def terms(self) -> ChangeTerms:
        return self.money.terms

    @property
    def is_online(self) -> bool:
        return bool(self.checkout_url or self.pay_url)

    @property
    def by_hand(self) -> bool:
        """True if teacher and student arrange the payment themselves."""
        return self.transfer is None and not self.is_online


@dataclass(frozen=True, slots=True)
class TransferOffer:
    """until: how long the time would be kept. refusal: why a transfer is not offered."""

    until: datetime | None = None
    refusal: Promise | str = ""


def find_transfer_offer(user: User, start: datetime) -> TransferOffer | None:
    """Return None if the teacher takes no transfers."""
    now = timezone.now()
    try:
        refuse_to_wait(user, find_kept_until(start, now), now)
    except TransfersOffError:
        return None
    except TransferNotOfferedError as refusal:
        return TransferOffer(refusal=refusal.text)
    return TransferOffer(until=find_kept_until(start, now))


def find_ways(
    money: MoneyCard,
    *,
    refresh_url: str = "",
    announce_url: str = "",
    form: AnnounceForm | None = None,
) -> WaysToPay | None:
    """Return how a purchase may be paid; None if it may not.

    refresh_url: of a page that shows the payment itself. announce_url: takes the announcement
    without a session. form: as it was sent.
    """
    if not money.may_pay:
        return None
    payment = None if refresh_url else money.payment
    return WaysToPay(
        money=money,
        transfer=_present_transfer(money, announce_url, form),
        checkout_url=money.checkout_url,
        payment_url=reverse("bookings:payment", args=[payment.pk]) if payment else "",
        refresh_url=refresh_url,
    )


def _present_transfer(
    money: MoneyCard, announce_url: str, form: AnnounceForm | None
) -> TransferCard | None:
    account, purchase = find_account(), money.purchase
    if account is None or purchase.virtual_class_id is None:
        return None
    own_page = _address(purchase)
    can_choose = (
        money.kept_until is not None
        and purchase.kept_for != MoneyWay.TRANSFER
        and money.transfer is None
    )
    refusal = _find_refusal(purchase) if can_choose else ""
    return TransferCard(
        money=money,
        account=account,
        announce_url=announce_url or own_page,
        form=form or AnnounceForm(),
        choose_url=own_page if can_choose and not refusal and not announce_url else "",
        refusal=refusal,
    )


def _find_refusal(purchase: Purchase) -> Promise | str:
    now = timezone.now()
    until = find_purchase_kept_until(purchase, now)
    try:
        refuse_to_wait(purchase.person, until, now, besides=purchase)
    except TransferNotOfferedError as refusal:
        return refusal.text
    return ""


def _address(purchase: Purchase) -> str:
    if purchase.is_place:
        return reverse("bookings:place_transfer", args=[purchase.pk])
    return reverse("bookings:transfer", args=[purchase.virtual_class_id])


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def pay_class_by_transfer(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Announce the transfer that paid a class, or keep its time longer."""
    classes = Purchase.objects.classes().filter(person=request.user)
    purchase = get_object_or_404(_with_class(classes), virtual_class=class_id)
    return _pay(request, purchase, reverse("bookings:class", args=[class_id]))


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def pay_place_by_transfer(request: SignedInRequest, purchase_id: uuid.UUID) -> HttpResponse:
    places = Purchase.objects.places().filter(person=request.user)
    purchase = get_object_or_404(_with_class(places), pk=purchase_id)
    return _pay(request, purchase, reverse("bookings:place", args=[purchase_id]))


def _with_class(purchases: QuerySet[Purchase]) -> QuerySet[Purchase]:
    return purchases.select_related(
        "person", "payment", "virtual_class__booked_by", "virtual_class__open_class"
    )


def _pay(request: SignedInRequest, purchase: Purchase, back: str) -> HttpResponse:
    if "esperar" in request.POST:
        _keep_longer(request, purchase)
        return redirect(back)
    return announce(request, purchase, back)


def announce(
    request: HttpRequest, purchase: Purchase, back: str, *, announce_url: str = ""
) -> HttpResponse:
    """Take the form and redirect back; show it alone before it is sent, and with its errors."""
    form = AnnounceForm(request.POST, request.FILES) if request.method == "POST" else AnnounceForm()
    refuse_large_photo(request, form, "receipt")
    if form.is_valid() and _take_announcement(request, form, purchase):
        return redirect(back)
    money = MoneyCard(purchase, timezone.now())
    ways = find_ways(money, announce_url=announce_url, form=form)
    transfer = ways.transfer if ways else None
    if transfer is None:
        return redirect(back)
    context = {"back": back, "money": money, "form": form, "transfer": transfer}
    return render(request, "bookings/sales/transfer.html", context)


def _take_announcement(request: HttpRequest, form: AnnounceForm, purchase: Purchase) -> bool:
    """Return False if the photo is refused, which the form then says."""
    try:
        announce_transfer(user=purchase.person, purchase=purchase, **form.cleaned_data)
        messages.success(request, _("Listo: le avisamos a tu profe. Falta que la confirme."))
    except PhotoError as refusal:
        form.add_error("receipt", refusal.text)
    except BookingError as refusal:
        messages.warning(request, refusal.text)
    return not form.errors


def _keep_longer(request: SignedInRequest, purchase: Purchase) -> None:
    try:
        choose_transfer(user=request.user, purchase=purchase)
        if purchase.is_place:
            messages.success(request, _("Te guardamos el lugar para que transfieras."))
        else:
            messages.success(request, _("Te guardamos el horario para que transfieras."))
    except BookingError as refusal:
        messages.warning(request, refusal.text)
