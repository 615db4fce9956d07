"""notices/registry.py and notices/mails/: a mail is one entry."""

import pytest

from bookings.models import Notice, NoticeKind
from bookings.models.notice import list_kinds
from bookings.notices import links
from bookings.notices.mails.mail import Mail
from bookings.notices.mails.to_people import MAILS_TO_PEOPLE
from bookings.notices.mails.to_teacher import MAILS_TO_TEACHER
from bookings.notices.registry import MAILS


def test_every_kind_has_its_entry():
    assert set(MAILS) == set(NoticeKind)
    assert len(MAILS) == len(MAILS_TO_PEOPLE) + len(MAILS_TO_TEACHER)


def test_an_entry_without_an_expectation_is_refused():
    """The audit could not miss such a mail."""
    with pytest.raises(TypeError, match="expected"):
        Mail(subject="", opening="", link=links.see_class)


def test_a_new_kind_needs_no_migration():
    """A callable goes into the migration by its name, so kinds may come and go."""
    *_, options = Notice._meta.get_field("kind").deconstruct()

    assert options["choices"] is list_kinds
