"""The lines of a mail about the money of a class or seat, and until when it can be changed."""

import re
from html import unescape

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bookings.models import (
    Notice,
    NoticeKind,
    Payment,
    Seat,
    VirtualClass,
    find_change_terms,
    find_open_class,
    find_owed_by_hand,
    payment_of,
    price_of,
)
from bookings.notices.facts import Line, find_leaver, find_seat
from bookings.notices.returned_money import (
    ReturnedMoney,
    ReturnState,
    list_returned_money,
)
from bookings.templatetags.class_times import cost, pesos

# To the teacher, about the money of the class's host.
ABOUT_CLASS = {NoticeKind.NEW_BOOKING, NoticeKind.STUDENT_CANCELLED}


def _find_bought(notice: Notice) -> VirtualClass | Seat | None:
    # In mails to people: the class of its host, or the last paid seat of another person.
    if notice.kind == NoticeKind.SEAT_SOLD:
        return find_seat(notice)
    virtual_class = notice.require_class()
    payer = find_leaver(notice) if notice.kind == NoticeKind.SEAT_LEFT else notice.user
    if notice.kind in ABOUT_CLASS or virtual_class.is_hosted_by(payer):
        return virtual_class
    if find_open_class(virtual_class) is None:
        return None  # only open classes have seats
    seats = Seat.objects.filter(open_class=virtual_class.pk, user=payer)
    return seats.exclude(paid_at=None).select_related("payment").last()


def _price(notice: Notice) -> str:
    bought = _find_bought(notice)
    return cost(price_of(bought)) if bought else ""


def _how_paid(notice: Notice) -> str:
    bought = _find_bought(notice)
    if bought is None or price_of(bought) == 0:
        return ""
    if bought.paid_at is None:
        return gettext("Falta pagar.")
    payment = payment_of(bought)
    is_online = payment is not None and payment.approved_at is not None
    return gettext("Ya está pago, por Mercado Pago.") if is_online else gettext("Ya está pago.")


def _terms(notice: Notice) -> str:
    """Say until when it can be changed and what goes back, in the words of the pages."""
    bought, virtual_class = _find_bought(notice), notice.require_class()
    if bought is None:
        return ""
    terms = find_change_terms(virtual_class, timezone.now())
    if isinstance(bought, Seat):
        return _write("bookings/sales/_seat_terms.html", terms=terms) if bought.price else ""
    texts = [_write("bookings/_deadline.html", terms=terms, is_just_paid=True)]
    if bought.class_price:
        steps = {"giving_up": gettext("cancelás la clase"), "is_deadline_said": True}
        texts.append(_write("bookings/_refund_steps.html", terms=terms, **steps))
    return " ".join(texts)


def _write(template: str, **context: object) -> str:
    text = unescape(strip_tags(render_to_string(template, context)))
    return re.sub(r"[ \n]+", " ", text).strip()  # other spaces hold sums together


def _money_back(notice: Notice) -> str:
    parts = _list_online(notice)
    online = _("Te devolvemos %(amount)s, por el mismo medio con que pagaste.")
    if len(parts) > 1:  # a mail told of the first one already
        online = _("En total te devolvemos %(amount)s, por el mismo medio con que pagaste.")
    amount = sum(part.amount for part in parts)
    texts = [str(online) % {"amount": pesos(amount)}] if amount else []
    bought = _find_bought(notice)
    if bought and (owed := find_owed_by_hand(bought)):
        by_hand = _("La profe te devuelve %(amount)s, por donde le pagaste.")
        texts.append(str(by_hand) % {"amount": pesos(owed)})
    if bought and bought.amount_kept:
        kept = _("No se devuelven %(amount)s: ya pasó el plazo.")
        texts.append(str(kept) % {"amount": pesos(bought.amount_kept)})
    return " ".join(texts)


def _returned_online(notice: Notice) -> str:
    amount = sum(part.amount for part in _list_online(notice))
    return pesos(amount) if amount else ""


def _owed_by_hand(notice: Notice) -> str:
    bought = _find_bought(notice)
    owed = find_owed_by_hand(bought) if bought else 0
    return pesos(owed) if owed else ""


def _owed_for_seats(notice: Notice) -> str:
    open_class = find_open_class(notice.virtual_class)
    seats = open_class.seats.select_related("payment") if open_class else []
    owed = sum(find_owed_by_hand(seat) for seat in seats)
    return pesos(owed) if owed else ""


def _kept(notice: Notice) -> str:
    bought = _find_bought(notice)
    return pesos(bought.amount_kept) if bought and bought.amount_kept else ""


def _last_reason(notice: Notice) -> str:
    payment: Payment | None = getattr(notice.require_class(), "payment", None)
    parts = list_returned_money(payment) if payment else []
    return str(parts[-1].reason) if parts else ""


def _list_online(notice: Notice) -> list[ReturnedMoney]:
    """List what went back, or is under way."""
    bought = _find_bought(notice)
    payment = payment_of(bought) if bought else None
    parts = list_returned_money(payment) if payment else []
    return [part for part in parts if part.state != ReturnState.FAILED]


price = Line(_("Precio"), _price)
how_paid = Line(_("Pago"), _how_paid)
terms = Line(_("Si no podés ir"), _terms)
money_back = Line(_("Tu pago"), _money_back)
returned_online = Line(_("Se devuelve por Mercado Pago"), _returned_online)
owed_by_hand = Line(_("Para devolver"), _owed_by_hand)
owed_for_seats = Line(_("Para devolver"), _owed_for_seats)
kept = Line(_("No se devuelve"), _kept)
last_reason = Line(_("Por qué"), _last_reason)
