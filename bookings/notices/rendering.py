"""Render mails, each in its reader's language."""

from email.utils import formataddr, parseaddr
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import override

from bookings.models import Notice, NoticeKind, TeacherPage
from bookings.notices.facts import class_address, find_message
from bookings.notices.icalendar import build_calendar
from bookings.notices.registry import find_mail
from bookings.notices.to_teacher import MAILS_TO_TEACHER
from bookings.payments.backend import name_provider
from bookings.templatetags.class_times import clock, long_day


def render_mail(notice: Notice) -> EmailMultiAlternatives:
    with override(notice.user.language):
        context = _context(notice)
        mail = EmailMultiAlternatives(
            subject=context["subject"],
            body=render_to_string("notices/mail.txt", context),
            from_email=_name_sender(notice, context["teacher_name"]),
            to=[notice.user.mail_address],
            reply_to=[settings.ADMIN_EMAIL] if settings.ADMIN_EMAIL else None,
            headers={"Message-ID": derive_message_id(notice), "Auto-Submitted": "auto-generated"},
        )
        mail.attach_alternative(render_to_string("notices/mail.html", context), "text/html")
        _attach_calendar(mail, notice)
    return mail


def _name_sender(notice: Notice, name: str) -> str:
    """Mails to people are from the teacher, at the service's address."""
    if not name or notice.kind in MAILS_TO_TEACHER:
        return settings.DEFAULT_FROM_EMAIL
    _site, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return formataddr((name, address))


def _find_teacher_name() -> str:
    """Return the name on her page in one printable line; empty without one."""
    name = TeacherPage.objects.values_list("name", flat=True).first() or ""
    return " ".join("".join(one if one.isprintable() else " " for one in name).split())


def derive_message_id(notice: Notice) -> str:
    """A repeated mail has the same Message-ID, one made due again another."""
    return f"<{notice.pk}.{notice.due_at:%Y%m%d%H%M%S}@{urlsplit(settings.BASE_URL).hostname}>"


def _attach_calendar(mail: EmailMultiAlternatives, notice: Notice) -> None:
    # As a file too, for mail programs that ignore the inline entry.
    virtual_class, method = notice.virtual_class, find_mail(notice).calendar
    if method is None or virtual_class is None or not virtual_class.provider_event_id:
        return  # a class that was never scheduled is in no calendar
    is_host = virtual_class.is_hosted_by(notice.user)
    parts = virtual_class.activities.filter(user=notice.user)
    if notice.kind == NoticeKind.CANCELLED and not is_host and not parts.exists():
        return  # nor is it in the calendars of people in line
    entry = build_calendar(
        virtual_class,
        method=method,
        attendee=notice.user.mail_address,
        page=class_address(virtual_class, notice.user),
    )
    mail.attach_alternative(entry.decode(), f"text/calendar; method={method}")
    mail.attach("clase.ics", entry, "application/ics")


def _context(notice: Notice) -> dict[str, Any]:
    mail, message = find_mail(notice), find_message(notice)
    words = {"provider": name_provider()}
    if message:
        words["message"] = message.subject
    if virtual_class := notice.virtual_class:
        words |= {
            "day": long_day(virtual_class.start_time),
            "clock": clock(virtual_class.start_time),
            "host": virtual_class.booked_by.first_name,
        }
    return {
        "site_name": _(settings.SITE_NAME),
        # Without a photo: mail programs block remote pictures, and the photo may change.
        # No mail to her is signed with her own name.
        "teacher_name": "" if notice.kind in MAILS_TO_TEACHER else _find_teacher_name(),
        "name": notice.user.first_name,
        "subject": str(mail.subject) % words,
        "opening": str(mail.opening) % words,
        "text": message.text if message else "",
        "explanation": str(mail.explanation) % words,
        "facts": [
            *(
                (line.label, text, line.is_link)
                for line in mail.facts
                if (text := line.find_text(notice))
            ),
            *(mail.rows(notice) if mail.rows else []),
        ],
        "step": mail.link.label,
        "address": mail.link.find_text(notice),
    }
