"""notices/registry.py: a mail is one entry."""

from bookings.models import Notice, NoticeKind
from bookings.models.notice import list_kinds
from bookings.notices.registry import MAILS
from bookings.notices.to_people import MAILS_TO_PEOPLE
from bookings.notices.to_teacher import MAILS_TO_TEACHER


def test_every_kind_has_its_entry():
    assert set(MAILS) == set(NoticeKind)
    assert len(MAILS) == len(MAILS_TO_PEOPLE) + len(MAILS_TO_TEACHER)


def test_a_new_kind_needs_no_migration():
    """A callable goes into the migration by its name, so kinds may come and go."""
    *_, options = Notice._meta.get_field("kind").deconstruct()

    assert options["choices"] is list_kinds
