"""The registry of mails."""

from bookings.models import Notice, NoticeKind
from bookings.notices import skip_rules as skip
from bookings.notices.mail import Mail
from bookings.notices.to_people import MAILS_TO_PEOPLE
from bookings.notices.to_teacher import MAILS_TO_TEACHER

MAILS = MAILS_TO_PEOPLE | MAILS_TO_TEACHER
PLANNED = {kind: mail.plan for kind, mail in MAILS.items() if mail.plan}


def find_mail(notice: Notice) -> Mail:
    return MAILS[NoticeKind(notice.kind)]


def reason_to_skip(notice: Notice) -> str:
    """Return why a mail is obsolete, or ""."""
    mail = find_mail(notice)
    rules = (
        skip.erased,
        skip.unreachable,
        *mail.skip_if,
        *(mail.plan.skip_if if mail.plan else ()),
    )
    return next((rule.reason for rule in rules if rule.is_obsolete(notice)), "")
