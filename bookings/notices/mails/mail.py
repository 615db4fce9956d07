"""One kind of mail."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.utils.functional import Promise

from bookings.models import Notice
from bookings.notices.expectations import UNTRACKED, Expectation
from bookings.notices.facts import Line
from bookings.notices.icalendar import Method
from bookings.notices.skip_rules import SkipRule

# Label and text, and whether that is an address.
Row = tuple[Promise | str, str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """subject, opening: may contain ``day``, ``clock``, ``host`` and ``message`` (its subject).

    rows: found at sending, after the facts.
    skip_if: without rules, the mail leaves however late.
    expected: when the mail must exist; ``Planned`` also makes it due.
    """

    subject: Promise | str
    opening: Promise | str
    explanation: Promise | str = ""
    facts: tuple[Line, ...] = ()
    rows: Callable[[Notice], list[Row]] | None = None
    link: Line
    skip_if: tuple[SkipRule, ...] = ()
    calendar: Method | None = None
    expected: Expectation


# Mails that the audit does not expect.
untracked = partial(Mail, expected=UNTRACKED)
