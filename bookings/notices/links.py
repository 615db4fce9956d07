"""The link at the end of a mail."""

from collections.abc import Callable
from datetime import timedelta
from operator import attrgetter

from django.core import signing
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bookings.models import Notice, Refund, find_open_class
from bookings.notices.facts import (
    Line,
    class_address,
    find_entry,
    find_transfer,
    link_address,
    site_address,
)

TRANSFER_SALT, TRANSFER_LINK_LASTS = "bookings.transfer", timedelta(days=7)


def _to(label: Promise, page: str, *find_arguments: Callable[[Notice], object]) -> Line:
    return Line(label, lambda one: site_address(page, *(find(one) for find in find_arguments)))


def _turn_page(notice: Notice) -> str:
    if find_open_class(notice.virtual_class):
        return site_address("bookings:open_class", notice.virtual_class_id)
    entry = find_entry(notice)
    return (
        site_address("bookings:claim_place", entry.pk) if entry else site_address("bookings:book")
    )


def _own_classes(notice: Notice) -> str:
    if notice.virtual_class is None:
        return site_address("bookings:my_classes")
    return class_address(notice.virtual_class, notice.user)


def _pay_page(notice: Notice) -> str:
    virtual_class = notice.require_class()
    return link_address(virtual_class) or class_address(virtual_class, notice.user)


def _own_payment(notice: Notice) -> str:
    if notice.user.is_placeholder and notice.virtual_class:
        return class_address(notice.virtual_class, notice.user)
    payment = Refund.objects.named(notice.occasion).purchase.payment
    return site_address("bookings:payment", payment.pk)


def _announce_page(notice: Notice) -> str:
    purchase = find_transfer(notice).purchase
    if purchase.is_place:
        return site_address("bookings:place", purchase.pk)
    return _own_classes(notice)


def _sign_transfer(notice: Notice) -> str:
    return signing.dumps([notice.occasion, notice.user_id.hex], salt=TRANSFER_SALT)


def read_transfer_link(token: str) -> tuple[str, str]:
    """Return the ids of the transfer and of the teacher it was mailed to.

    Raises BadSignature, also once the link is older than TRANSFER_LINK_LASTS.
    """
    transfer_id, teacher_id = signing.loads(token, salt=TRANSFER_SALT, max_age=TRANSFER_LINK_LASTS)
    return transfer_id, teacher_id


_class_id = attrgetter("virtual_class_id")
_CLASS_IN_PANEL = "admin:class_sheet"

see_classes = Line(_("Mirá tus clases"), _own_classes)
see_class = Line(_("Mirá tu clase"), _own_classes)
pay_class = Line(_("Pagá tu clase"), _pay_page)
open_link = Line(_("Abrí tu clase"), _pay_page)
book_another = _to(_("Reservá otra clase"), "bookings:book")
choose_another_time = _to(_("Elegí otro horario"), "bookings:book")
see_own_payment = Line(_("Mirá el pago"), _own_payment)
see_seat = _to(_("Mirá tu lugar"), "bookings:place", attrgetter("occasion"))
announce_again = Line(_("Avisala de nuevo"), _announce_page)
see_profile = _to(_("Mirá tu perfil"), "profile")
# To pages of the panel.
decide_price = _to(_("Decidí si la das"), _CLASS_IN_PANEL, _class_id)
decide_open_class = _to(_("Decidí si se da"), _CLASS_IN_PANEL, _class_id)
see_week = _to(_("Mirá tu semana"), "admin:week")
see_class_in_panel = _to(_("Mirá la clase"), _CLASS_IN_PANEL, _class_id)
decide_transfer = _to(_("Decí si llegó"), "admin:mailed_transfer", _sign_transfer)
see_payments = _to(_("Mirá los pagos"), "admin:bookings_payment_changelist")
see_people = _to(_("Mirá las cuentas"), "admin:accounts_user_changelist")
see_receivers = _to(_("Mirá los receptores"), "admin:bookings_webhookendpoint_changelist")
see_calendar = _to(_("Mirá el calendario"), "admin:calendar")
reconnect = _to(_("Reconectá tu calendario"), "admin:calendar")
enter_video_call = Line(_("Entrá a la videollamada"), lambda one: one.require_class().html_link)
take_place = Line(_("Tomá tu lugar"), _turn_page)
see_turn = Line(_("Mirá tu turno"), _turn_page)
