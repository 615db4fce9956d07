"""The lines of a mail about the money of a purchase, and until when it can be changed."""

import re
from html import unescape

from django.db.models import Sum
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bookings.models import (
    Notice,
    NoticeKind,
    Purchase,
    Refund,
    find_change_terms,
)
from bookings.money_state import MoneyState, ReturnedMoney, ReturnState, describe_money
from bookings.notices.facts import Line, find_leaver, find_place
from bookings.payments.backend import PROVIDER_NAME, name_provider
from bookings.templatetags.class_times import cost, pesos

# To the teacher, about the money of the class's host.
ABOUT_CLASS = {NoticeKind.NEW_BOOKING, NoticeKind.STUDENT_CANCELLED}


def _find_purchase(notice: Notice) -> Purchase | None:
    # In mails to people: the host's own, or the last paid place of another person.
    if notice.kind == NoticeKind.SEAT_SOLD:
        return find_place(notice)
    virtual_class = notice.require_class()
    payer = find_leaver(notice) if notice.kind == NoticeKind.SEAT_LEFT else notice.user
    if notice.kind in ABOUT_CLASS or virtual_class.is_hosted_by(payer):
        return virtual_class.purchase
    theirs = (one for one in virtual_class.purchases.all() if one.person_id == payer.pk)
    return next((one for one in theirs if one.is_paid), None)  # the latest come first


def _price(notice: Notice) -> str:
    purchase = _find_purchase(notice)
    return cost(purchase.price) if purchase else ""


def _how_paid(notice: Notice) -> str:
    purchase = _find_purchase(notice)
    if purchase is None or purchase.is_free:
        return ""
    if not purchase.is_paid:
        return gettext("Falta pagar.")
    payment = purchase.find_payment()
    if payment is None or payment.approved_at is None:
        return gettext("Ya está pago.")
    named = {"provider": name_provider(payment.provider)}
    return gettext("Ya está pago, por %(provider)s.") % named


def _terms(notice: Notice) -> str:
    """Say until when it can be changed and what goes back, in the words of the pages."""
    purchase = _find_purchase(notice)
    if purchase is None:
        return ""
    terms = find_change_terms(notice.require_class(), timezone.now())
    if purchase.is_place:  # its holder can leave, but neither move nor cancel the class
        return "" if purchase.is_free else _write("bookings/sales/_place_terms.html", terms=terms)
    texts = [_write("bookings/_deadline.html", terms=terms, is_just_paid=True)]
    if not purchase.is_free:
        texts.append(_write("bookings/_refunds.html", terms=terms))
    return " ".join(texts)


def _write(template: str, **context: object) -> str:
    text = unescape(strip_tags(render_to_string(template, context)))
    return re.sub(r"[ \n]+", " ", text).strip()  # other spaces hold sums together


def _money_back(notice: Notice) -> str:
    """Say what becomes of the money, in the words of the pages; empty if there is none."""
    purchase = _find_purchase(notice)
    if purchase is None:
        return ""
    money = describe_money(purchase, timezone.now())
    return "" if money.state is MoneyState.ENDED_UNPAID else money.line


def _returned_online(notice: Notice) -> str:
    """Sum what went back through the provider, or is under way."""
    parts = _list_returns(_find_purchase(notice))
    sent = (part for part in parts if part.state != ReturnState.FAILED and not part.is_by_hand)
    amount = sum(part.amount for part in sent)
    return pesos(amount) if amount else ""


def _owed_by_hand(notice: Notice) -> str:
    purchase = _find_purchase(notice)
    owed = purchase.owed_by_hand if purchase else 0
    return pesos(owed) if owed else ""


def _owed_for_places(notice: Notice) -> str:
    promised = Refund.objects.by_hand().open()
    places = promised.filter(purchase__virtual_class=notice.virtual_class)
    owed = places.aggregate(sum=Sum("amount", default=0))["sum"]
    return pesos(owed) if owed else ""


def _kept(notice: Notice) -> str:
    purchase = _find_purchase(notice)
    return pesos(purchase.amount_kept) if purchase and purchase.amount_kept else ""


def _last_reason(notice: Notice) -> str:
    parts = _list_returns(notice.require_class().purchase)
    return str(parts[-1].reason) if parts else ""


def _list_returns(purchase: Purchase | None) -> list[ReturnedMoney]:
    return describe_money(purchase, timezone.now()).returns if purchase else []


price = Line(_("Precio"), _price)
how_paid = Line(_("Pago"), _how_paid)
terms = Line(_("Si no podés ir"), _terms)
money_back = Line(_("Tu pago"), _money_back)
returned_online = Line(
    format_lazy(_("Se devuelve por {provider}"), provider=PROVIDER_NAME), _returned_online
)
owed_by_hand = Line(_("Para devolver"), _owed_by_hand)
owed_for_places = Line(_("Para devolver"), _owed_for_places)
kept = Line(_("No se devuelve"), _kept)
last_reason = Line(_("Por qué"), _last_reason)
