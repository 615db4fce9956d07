"""``/inicio/reservar``: choose a time, then fill in the details of the hold."""

import uuid
from datetime import datetime, timedelta
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import (
    BookingError,
    HoldExpiredError,
    NoPriceError,
    PriceChangedError,
    SlotTakenError,
    TransferNotOfferedError,
)
from bookings.domain.money.prices import list_bookable_options
from bookings.domain.sales.checkout import check_out_hold, list_hold_prices
from bookings.domain.sales.holds import (
    PayWay,
    find_hand_hold_end,
    find_live_hold,
    find_open_hold,
    hold_slot,
    release_hold,
)
from bookings.models import Hold, find_change_terms
from bookings.pages.access import sign_in_first, signed_in, take_chosen
from bookings.pages.choosing import (
    Choice,
    choice_query,
    list_kinds,
    present_free_times,
    read_choice,
    read_kind,
    render_times,
    title_of,
)
from bookings.pages.code_forms import CODE_REFUSALS, DetailsWithCodeForm
from bookings.pages.transfers import TransferOffer, find_transfer_offer
from bookings.payments.backend import pays_online
from bookings.payments.gateway import PaymentError
from bookings.templatetags.class_times import clock, minutes, short_day
from calendar_sync import CalendarError

PROVIDER_DOWN = gettext_lazy(
    "El medio de pago no responde. Te guardamos el horario: probá de nuevo en un momento."
)

STYLES = ("css/base.css", "css/site.css")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """Show the free times to everyone; hold the chosen one, after a sign-in."""
    parameters = request.POST if request.method == "POST" else request.GET
    options, refusal = list_bookable_options(request.user, read_kind(parameters))
    if refusal:
        messages.warning(request, refusal.text)
    if not options:
        return render(request, "bookings/choose.html", {"problem": "no_offers"})
    choice = read_choice(parameters, options)
    if request.method == "POST":
        return redirect(choice.address) if refusal else _keep(request, choice)
    kinds = list_kinds(options)
    context = {
        "kinds": kinds,
        "chosen_kind": next(one for one in kinds if one.key == choice.option.kind),
        **present_free_times(
            choice,
            length=timedelta(minutes=choice.option.minutes),
            user=request.user if isinstance(request.user, User) else None,
        ),
    }
    return _preload_styles(render_times(request, "bookings/choose.html", context))


def _keep(request: HttpRequest, choice: Choice) -> HttpResponse:
    if choice.start is None:
        messages.error(request, _("Elegí un horario para continuar."))
        return redirect(choice.address)  # without #horarios: the message has the focus
    if isinstance(request.user, User):
        return _hold(request, choice, user=request.user, start=choice.start)
    address = f"{reverse('bookings:keep_chosen')}?{choice.query}"
    day, label = capfirst(short_day(choice.start)), choice.option.label
    what = f"{day}, {clock(choice.start)} · {label}, {minutes(choice.option.minutes)}"
    return sign_in_first(request, address=address, what=what, form={})


@signed_in
@require_GET
def keep_chosen(request: SignedInRequest) -> HttpResponse:
    """Hold, once, the time that this browser chose before its sign-in."""
    options, refusal = list_bookable_options(request.user, read_kind(request.GET))
    if not options:
        return redirect("bookings:book")
    if refusal:
        return _choose_again(request)
    choice = read_choice(request.GET, options)
    if take_chosen(request) is not None and choice.start:
        return _hold(request, choice, user=request.user, start=choice.start)
    hold = find_open_hold(request.user)
    if hold and hold.start_time == choice.start:  # the page was loaded again
        return redirect(details_url(hold))
    return redirect(choice.address)


def _hold(request: HttpRequest, choice: Choice, *, user: User, start: datetime) -> HttpResponse:
    try:
        hold = hold_slot(
            user=user,
            start=start,
            minutes=choice.option.minutes,
            class_type=choice.option.class_type,
            offer=choice.option.offer,
        )
    except (SlotTakenError, CalendarError):
        return redirect(choice.address)  # that page finds and shows the problem itself
    except BookingError as refusal:
        messages.error(request, refusal.text)
        return redirect(choice.address)
    return redirect(details_url(hold))


def details_url(hold: Hold) -> str:
    """Return the hold's address; its query repeats the choice, for when the hold expires."""
    return f"{reverse('bookings:hold', args=[hold.pk])}?{choice_query(hold)}"


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def fill_in(request: SignedInRequest, hold_id: uuid.UUID) -> HttpResponse:
    try:
        hold = find_live_hold(user=request.user, hold_id=hold_id)
    except HoldExpiredError as refusal:
        messages.warning(request, refusal.text)
        return _choose_again(request)
    if hold.purchase and hold.purchase.virtual_class_id:
        return redirect("bookings:class", class_id=hold.purchase.virtual_class_id)
    prices = list_hold_prices(hold)
    if not prices:
        messages.warning(request, NoPriceError.text)
        return _choose_again(request)
    form = DetailsWithCodeForm(request.POST or None, prices=prices)
    if request.method == "POST" and form.is_valid():
        listed, seen = form.list_price, form.price_seen
        if not form.shows_discount(request.user, listed=listed, seen=seen):
            return _book(request, hold, form)
    return _show_details(request, hold, form)


@signed_in
@require_POST
def release(request: SignedInRequest, hold_id: uuid.UUID) -> HttpResponse:
    """Release the hold; redirect to the choice in the address, or home."""
    is_released = release_hold(user=request.user, hold_id=hold_id)
    if request.GET:
        return _choose_again(request)
    if is_released:
        messages.success(request, _("Listo: el horario quedó libre."))
    return redirect("bookings:inicio")


def _book(request: SignedInRequest, hold: Hold, form: DetailsWithCodeForm) -> HttpResponse:
    try:
        virtual_class = check_out_hold(
            user=request.user,
            hold_id=hold.pk,
            students_count=form.cleaned_data["students_count"],
            words=form.words,
            seen=form.price_seen,
            typed_code=form.cleaned_data["code"],
            way=_read_way(request),
        )
    except NoPriceError as refusal:
        form.add_error("students_count", refusal.text)
        return _show_details(request, hold, form)
    except CODE_REFUSALS as refusal:
        form.refuse_code(refusal)
        return _show_details(request, hold, form)
    except (PriceChangedError, TransferNotOfferedError) as refusal:
        form.add_error(None, refusal.text)
        return _show_details(request, hold, form)
    except PaymentError:
        form.add_error(None, PROVIDER_DOWN)
        return _show_details(request, hold, form)
    except BookingError as refusal:
        messages.warning(request, refusal.text)
        return _choose_again(request)
    payment = virtual_class.purchase.find_payment() if virtual_class.purchase else None
    if payment and payment.checkout_url:
        # 303, so that the browser opens the provider's checkout with GET.
        return HttpResponseRedirect(payment.checkout_url, status=HTTPStatus.SEE_OTHER)
    return redirect("bookings:class", class_id=virtual_class.pk)


def _read_way(request: HttpRequest) -> PayWay:
    is_transfer = request.POST.get("way") == PayWay.TRANSFER
    return PayWay.TRANSFER if is_transfer else PayWay.ONLINE


def _show_details(request: SignedInRequest, hold: Hold, form: DetailsWithCodeForm) -> HttpResponse:
    transfer = find_transfer_offer(request.user, hold.start_time)
    context = {
        "hold": hold,
        "title": title_of(hold),
        "form": form,
        "terms": find_change_terms(hold, timezone.now()),
        "choice": choice_query(hold),
        "pays_online": pays_online(),
        "transfer": transfer,
        "by_hand_until": _find_by_hand_end(hold, transfer),
    }
    return _preload_styles(render(request, "bookings/details.html", context))


def _preload_styles(page: HttpResponse) -> HttpResponse:
    """Name the style sheets in a header: the browser asks for them while the page still arrives.

    https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Link
    """
    page["Link"] = ", ".join(f"<{static(sheet)}>; rel=preload; as=style" for sheet in STYLES)
    return page


def _find_by_hand_end(hold: Hold, transfer: TransferOffer | None) -> datetime | None:
    """Return None if payments are online."""
    if pays_online():
        return None
    if transfer and transfer.until:
        return transfer.until
    return find_hand_hold_end(hold.start_time, timezone.now())


def _choose_again(request: SignedInRequest) -> HttpResponse:
    return redirect(reverse("bookings:book", query=request.GET))
