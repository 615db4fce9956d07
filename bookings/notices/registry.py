"""The registry of mails."""

from bookings.models import Notice, NoticeKind
from bookings.notices import skip_rules as skip
from bookings.notices.mails.mail import Mail
from bookings.notices.mails.to_people import MAILS_TO_PEOPLE
from bookings.notices.mails.to_teacher import MAILS_TO_TEACHER
from bookings.notices.planned import Planned

MAILS = MAILS_TO_PEOPLE | MAILS_TO_TEACHER
EXPECTATIONS = {kind: mail.expected for kind, mail in MAILS.items()}
PLANNED = {kind: rule for kind, rule in EXPECTATIONS.items() if isinstance(rule, Planned)}


def find_mail(notice: Notice) -> Mail:
    return MAILS[NoticeKind(notice.kind)]


def reason_to_skip(notice: Notice) -> str:
    """Return why a mail is obsolete, or ""."""
    rules = (skip.erased, skip.unreachable, *find_mail(notice).skip_if)
    if plan := PLANNED.get(NoticeKind(notice.kind)):
        rules += plan.skip_if
    return next((rule.reason for rule in rules if rule.is_obsolete(notice)), "")
