"""How a mail reads, in the language of whoever gets it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from bookings.models import Notice, NoticeKind, Payment, VirtualClass
from bookings.notices.icalendar import Method, build_calendar
from bookings.templatetags.class_times import clock, long_day

SUBJECTS = {
    NoticeKind.CONFIRMATION: gettext_lazy("Tu clase está confirmada: %(day)s, %(clock)s"),
    NoticeKind.JOINED: gettext_lazy("Ya tenés tu lugar en la clase: %(day)s, %(clock)s"),
    NoticeKind.CANCELLED: gettext_lazy("Se canceló la clase: %(day)s, %(clock)s"),
    NoticeKind.TO_REVIEW: gettext_lazy("Hay un pago para revisar: %(day)s, %(clock)s"),
    NoticeKind.MONEY_BACK: gettext_lazy("Se devuelve un pago: %(day)s, %(clock)s"),
}
OPENINGS = {
    NoticeKind.CONFIRMATION: gettext_lazy("Tu clase de inglés está confirmada."),
    NoticeKind.JOINED: gettext_lazy("Ya tenés tu lugar en la clase de inglés de %(host)s."),
    NoticeKind.CANCELLED: gettext_lazy("Se canceló esta clase de inglés. No vamos a darla."),
    NoticeKind.TO_REVIEW: gettext_lazy("El pago de %(host)s necesita que lo mires."),
    NoticeKind.MONEY_BACK: gettext_lazy(
        "Lo que pagó %(host)s vuelve, porque la clase no se pudo agendar."
    ),
}
# What the teacher is told about money, whatever became of the class.
ABOUT_MONEY = {NoticeKind.TO_REVIEW, NoticeKind.MONEY_BACK}


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the mail: what it is about, and what there is to know."""

    label: str
    text: str
    is_link: bool = False


def render_mail(notice: Notice) -> EmailMultiAlternatives:
    """Write the mail of a notice: text, HTML, and the class for the person's calendar."""
    with override(notice.user.language):
        context = _context(notice)
        mail = EmailMultiAlternatives(
            subject=context["subject"],
            body=render_to_string("notices/mail.txt", context),
            to=[notice.user.email],
            reply_to=[settings.ADMIN_EMAIL] if settings.ADMIN_EMAIL else None,
            headers={"Message-ID": derive_message_id(notice), "Auto-Submitted": "auto-generated"},
        )
        mail.attach_alternative(render_to_string("notices/mail.html", context), "text/html")
        _attach_calendar(mail, notice)
    return mail


def derive_message_id(notice: Notice) -> str:
    """Give the one Message-ID of a notice: a mail that leaves twice is recognised as one.

    Only a notice that the teacher makes due again gets another.
    """
    return f"<{notice.pk}.{notice.due_at:%Y%m%d%H%M%S}@{urlsplit(settings.BASE_URL).hostname}>"


def _attach_calendar(mail: EmailMultiAlternatives, notice: Notice) -> None:
    """Add the calendar entry as mail programs want it, and as a file for those that want none."""
    virtual_class = notice.virtual_class
    if not virtual_class.provider_event_id or notice.kind in ABOUT_MONEY:
        return  # a class that was never scheduled stands in nobody's calendar
    method = Method.CANCEL if notice.kind == NoticeKind.CANCELLED else Method.REQUEST
    entry = build_calendar(virtual_class, method=method, attendee=notice.user.email)
    mail.attach_alternative(entry.decode(), f"text/calendar; method={method}")
    mail.attach("clase.ics", entry, "application/ics")


def _context(notice: Notice) -> dict[str, Any]:
    virtual_class = notice.virtual_class
    kind = NoticeKind(notice.kind)
    words = {
        "day": long_day(virtual_class.start_time),
        "clock": clock(virtual_class.start_time),
        "host": virtual_class.booked_by.first_name,
    }
    return {
        "site_name": _(settings.SITE_NAME),
        "name": notice.user.first_name,
        "subject": SUBJECTS[kind] % words,
        "opening": OPENINGS[kind] % words,
        "facts": [_when(virtual_class), *_access(kind, virtual_class), *_money(notice)],
        "step": _next_step(kind, virtual_class),
    }


def _when(virtual_class: VirtualClass) -> Fact:
    hours = _("%(day)s, de %(start)s a %(end)s (hora de Argentina)") % {
        "day": long_day(virtual_class.start_time),
        "start": clock(virtual_class.start_time),
        "end": clock(virtual_class.end_time),
    }
    return Fact(_("Cuándo"), hours)


def _access(kind: NoticeKind, virtual_class: VirtualClass) -> list[Fact]:
    """Say how to enter; only the host gets the code, and only where somebody can use it, a link."""
    if kind == NoticeKind.CANCELLED or kind in ABOUT_MONEY:
        return []
    facts = [Fact(_("Videollamada"), virtual_class.html_link, is_link=True)]
    code = virtual_class.access_code
    if kind == NoticeKind.CONFIRMATION and code:
        facts.append(Fact(_("Código de acceso"), code))
        if virtual_class.capacity > 1:
            invitation = _address("join_with_code", code)
            facts.append(Fact(_("Para invitar, compartí"), invitation, is_link=True))
    return facts


def _money(notice: Notice) -> list[Fact]:
    """Tell the host of a cancelled class that what was paid online comes back."""
    virtual_class = notice.virtual_class
    if notice.kind != NoticeKind.CANCELLED or not virtual_class.is_hosted_by(notice.user):
        return []
    payment: Payment | None = getattr(virtual_class, "payment", None)
    if payment is None or payment.approved_at is None:
        return []
    return [Fact(_("Tu pago"), _("Te devolvemos lo que pagaste."))]


def _next_step(kind: NoticeKind, virtual_class: VirtualClass) -> Fact:
    if kind == NoticeKind.CANCELLED:
        return Fact(_("Reservá otra clase"), _address("book"), is_link=True)
    if kind in ABOUT_MONEY:
        payments = settings.BASE_URL + reverse("admin:bookings_payment_changelist")
        return Fact(_("Mirá los pagos"), payments, is_link=True)
    return Fact(_("Mirá tu clase"), _address("class", virtual_class.pk), is_link=True)


def _address(name: str, *arguments: object) -> str:
    return settings.BASE_URL + reverse(f"bookings:{name}", args=arguments)
