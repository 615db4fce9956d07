"""The link at the end of a mail."""

from collections.abc import Callable
from operator import attrgetter

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bookings.models import Notice, WaitingListEntry
from bookings.notices.facts import Fact, find_entry, find_offer, site_address
from bookings.notices.returned_money import find_named_refund

LinkRule = Callable[[Notice], Fact]


def _to(
    label: Promise, name: str, find_argument: Callable[[Notice], object] | None = None
) -> LinkRule:
    def make_link(notice: Notice) -> Fact:
        arguments = [find_argument(notice)] if find_argument else []
        return Fact(str(label), site_address(name, *arguments), is_link=True)

    return make_link


_class_id = attrgetter("virtual_class_id")
_CLASS_IN_PANEL = "admin:bookings_virtualclass_change"

see_class = _to(_("Mirá tu clase"), "bookings:class", _class_id)
book_another = _to(_("Reservá otra clase"), "bookings:book")
choose_another_time = _to(_("Elegí otro horario"), "bookings:book")
see_own_payment = _to(
    _("Mirá el pago"),
    "bookings:payment",
    lambda one: find_named_refund(one.occasion).charge.payment_id,
)
see_profile = _to(_("Mirá tu perfil"), "profile")
# To pages of the panel.
decide_price = _to(_("Decidí si la das"), _CLASS_IN_PANEL, _class_id)
see_class_in_panel = _to(_("Mirá la clase"), _CLASS_IN_PANEL, _class_id)
see_payments = _to(_("Mirá los pagos"), "admin:bookings_payment_changelist")
see_people = _to(_("Mirá las cuentas"), "admin:accounts_user_changelist")
see_receivers = _to(_("Mirá los receptores"), "admin:bookings_webhookendpoint_changelist")
see_calendar = _to(_("Mirá el calendario"), "admin:calendar")
reconnect = _to(_("Reconectá tu calendario"), "admin:calendar")


def enter_video_call(notice: Notice) -> Fact:
    return Fact(str(_("Entrá a la videollamada")), notice.require_class().html_link, is_link=True)


def _to_turn(label: Promise, find: Callable[[Notice], WaitingListEntry | None]) -> LinkRule:
    def make_link(notice: Notice) -> Fact:
        entry = find(notice)
        if entry is None:
            return book_another(notice)
        return Fact(str(label), site_address("bookings:claim_place", entry.pk), is_link=True)

    return make_link


take_place = _to_turn(_("Tomá tu lugar"), find_offer)
see_turn = _to_turn(_("Mirá tu turno"), find_entry)
