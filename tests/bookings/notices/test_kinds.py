"""Every kind of mail can be written, in both languages."""

import pytest

from accounts.models import Language
from bookings.models import ABOUT_NO_CLASS, Notice, NoticeKind
from bookings.notices.rendering import render_mail
from tests.factories import VirtualClassFactory


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("kind", NoticeKind)
def test_each_kind_has_its_words(kind, language, student):
    student.language = language
    virtual_class = None if kind in ABOUT_NO_CLASS else VirtualClassFactory(scheduled=True)

    letter = render_mail(Notice(kind=kind, user=student, virtual_class=virtual_class))

    assert letter.subject
    assert "Bruno" in letter.body
