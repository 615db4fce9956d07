"""How a mail reads, in the language of whoever gets it."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.models import User
from bookings.models import Notice, NoticeKind, VirtualClass
from bookings.notices.facts import list_facts, name_next_step
from bookings.notices.icalendar import Method, build_calendar
from bookings.notices.texts import EXPLANATIONS, OPENINGS, STAND_IN, SUBJECTS
from bookings.templatetags.class_times import clock, long_day

# What a mail does to the entry in its reader's calendar. The others leave it alone.
METHODS: dict[NoticeKind, Method] = {
    NoticeKind.CONFIRMATION: Method.REQUEST,
    NoticeKind.JOINED: Method.REQUEST,
    NoticeKind.RESCHEDULED: Method.REQUEST,
    NoticeKind.ZONE_CHANGED: Method.REQUEST,
    NoticeKind.LINK_CHANGED: Method.REQUEST,
    NoticeKind.CANCELLED: Method.CANCEL,
    NoticeKind.LEFT: Method.CANCEL,
}


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
    virtual_class, method = notice.virtual_class, METHODS.get(NoticeKind(notice.kind))
    if method is None or virtual_class is None or not virtual_class.provider_event_id:
        return  # a class that was never scheduled stands in nobody's calendar
    if notice.kind == NoticeKind.CANCELLED and not _takes_part(notice.user, virtual_class):
        return  # whoever only waited for a place has nothing to strike out
    entry = build_calendar(virtual_class, method=method, attendee=notice.user.email)
    mail.attach_alternative(entry.decode(), f"text/calendar; method={method}")
    mail.attach("clase.ics", entry, "application/ics")


def _takes_part(user: User, virtual_class: VirtualClass) -> bool:
    is_host = virtual_class.is_hosted_by(user)
    return is_host or virtual_class.activities.filter(user=user).exists()


def _context(notice: Notice) -> dict[str, Any]:
    kind = NoticeKind(notice.kind)
    words = _words_about(notice.virtual_class)
    return {
        "site_name": _(settings.SITE_NAME),
        "name": notice.user.first_name,
        "subject": SUBJECTS[kind] % words,
        "opening": OPENINGS[kind] % words,
        "explanation": _explain(kind),
        "facts": list_facts(notice),
        "step": name_next_step(notice),
    }


def _explain(kind: NoticeKind) -> str:
    if kind == NoticeKind.GRANT_REVOKED and settings.CALENDAR_SERVICE_ACCOUNT:
        return str(STAND_IN)
    return str(EXPLANATIONS.get(kind, ""))


def _words_about(virtual_class: VirtualClass | None) -> dict[str, str]:
    if virtual_class is None:
        return {}
    return {
        "day": long_day(virtual_class.start_time),
        "clock": clock(virtual_class.start_time),
        "host": virtual_class.booked_by.first_name,
    }
