"""The lines of a mail: when the class is, how to enter it, what to do next."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from bookings.models import ABOUT_THE_CALENDAR, Notice, NoticeKind, Payment, VirtualClass
from bookings.notices.texts import ABOUT_MONEY, DRIFTS, TO_THE_TEACHER
from bookings.templatetags.class_times import clock, long_day

# Whoever reads these has no place in the class, or it is not given.
WITHOUT_ACCESS = {
    NoticeKind.CANCELLED,
    NoticeKind.LEFT,
    NoticeKind.PLACE_OFFERED,
    *TO_THE_TEACHER,
}
WITH_CODE = {
    NoticeKind.CONFIRMATION,
    NoticeKind.RESCHEDULED,
    NoticeKind.REMINDER_DAY,
    NoticeKind.REMINDER_HOUR,
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the mail: what it is about, and what there is to know."""

    label: str
    text: str
    is_link: bool = False


def list_facts(notice: Notice) -> list[Fact]:
    """Give what there is to know about the class; nothing when the mail is about none."""
    virtual_class = notice.virtual_class
    if virtual_class is None:
        return []
    return [
        _when(virtual_class),
        *_access(notice, virtual_class),
        *_money(notice, virtual_class),
        *_difference(notice),
    ]


def name_next_step(notice: Notice) -> Fact:
    """Give the page that the mail leads to."""
    if notice.kind in ABOUT_THE_CALENDAR:
        return _panel(_("Reconectá tu calendario"), "calendar")
    if notice.kind in ABOUT_MONEY:
        return _panel(_("Mirá los pagos"), "bookings_payment_changelist")
    if notice.kind == NoticeKind.CALENDAR_CHANGED:
        return _panel(_("Mirá la clase"), "bookings_virtualclass_change", notice.virtual_class_id)
    if notice.kind in {NoticeKind.CANCELLED, NoticeKind.LEFT}:
        return Fact(_("Reservá otra clase"), _address("book"), is_link=True)
    return Fact(_("Mirá tu clase"), _address("class", notice.virtual_class_id), is_link=True)


def _when(virtual_class: VirtualClass) -> Fact:
    hours = _("%(day)s, de %(start)s a %(end)s (hora de Argentina)") % {
        "day": long_day(virtual_class.start_time),
        "start": clock(virtual_class.start_time),
        "end": clock(virtual_class.end_time),
    }
    return Fact(_("Cuándo"), hours)


def _access(notice: Notice, virtual_class: VirtualClass) -> list[Fact]:
    """Say how to enter; only the host gets the code, and only where somebody can use it, a link."""
    if notice.kind in WITHOUT_ACCESS:
        return []
    facts = [Fact(_("Videollamada"), virtual_class.html_link, is_link=True)]
    code = virtual_class.access_code
    if code and notice.kind in WITH_CODE and virtual_class.is_hosted_by(notice.user):
        facts.append(Fact(_("Código de acceso"), code))
        if virtual_class.capacity > 1:
            invitation = _address("join_with_code", code)
            facts.append(Fact(_("Para invitar, compartí"), invitation, is_link=True))
    return facts


def _money(notice: Notice, virtual_class: VirtualClass) -> list[Fact]:
    """Tell the host of a cancelled class that what was paid online comes back."""
    if notice.kind != NoticeKind.CANCELLED or not virtual_class.is_hosted_by(notice.user):
        return []
    payment: Payment | None = getattr(virtual_class, "payment", None)
    if payment is None or payment.approved_at is None:
        return []
    return [Fact(_("Tu pago"), _("Te devolvemos lo que pagaste."))]


def _difference(notice: Notice) -> list[Fact]:
    """Tell the teacher what happened to the event, and what to do instead."""
    if notice.kind != NoticeKind.CALENDAR_CHANGED:
        return []
    text = DRIFTS.get(notice.occasion.partition(" ")[0])
    return [Fact(_("Qué pasó"), str(text))] if text else []


def _address(name: str, *arguments: object) -> str:
    return settings.BASE_URL + reverse(f"bookings:{name}", args=arguments)


def _panel(label: str, name: str, *arguments: object) -> Fact:
    return Fact(label, settings.BASE_URL + reverse(f"admin:{name}", args=arguments), is_link=True)
