"""What the class page and the mails say about entering the call."""

from datetime import timedelta

import pytest
from allauth.socialaccount.models import SocialAccount
from django.urls import reverse
from django.utils import timezone

from accounts.services import choose_language
from bookings.models import MEET_ACCESS, BookingRules, ClassType, Heartbeat, Notice
from bookings.notices.facts import video_call
from bookings.notices.registry import MAILS
from bookings.notices.rendering import render_mail
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db

KNOCK = {"es-ar": "Vas a tener que pedir entrar", "en": "You will have to ask to be let in"}
CUT = {"es-ar": "puede cortarse a los 60 minutos", "en": "may end after 60 minutes"}
# The kinds of mail that give the link.
WITH_LINK = [kind for kind, mail in MAILS.items() if video_call in mail.facts]


def sign_in_by(user, provider, label):
    SocialAccount.objects.create(
        user=user, provider=provider, uid=f"{provider}-{label}", extra_data={"label": label}
    )


@pytest.fixture
def show(sign_in, host):
    def show_page(language="es-ar", **changes):
        usual = {"booked_by": host, "scheduled": True, **changes}
        virtual_class = VirtualClassFactory(**usual)
        choose_language(user=host, language=language)
        return (
            sign_in(host).get(reverse("bookings:class", args=[virtual_class.pk])).content.decode()
        )

    return show_page


@pytest.mark.parametrize("language", KNOCK)
def test_person_of_github_reads_that_they_have_to_ask(show, host, language):
    sign_in_by(host, "github", "ana")

    assert KNOCK[language] in show(language)


@pytest.mark.parametrize(
    ("label", "is_told"), [("ana@example.com", False), ("Ana@Example.com", False), ("a@b.c", True)]
)
def test_google_account_with_the_invited_address_enters(show, host, label, is_told):
    sign_in_by(host, "github", "ana")
    sign_in_by(host, "google", label)

    assert (KNOCK["es-ar"] in show()) is is_told


@pytest.mark.parametrize("is_refused", [False, True])
def test_open_meeting_needs_no_asking_unless_google_refused(show, host, settings, is_refused):
    sign_in_by(host, "github", "ana")
    settings.MEET_ACCESS = "open"
    if is_refused:
        Heartbeat.objects.create(name=MEET_ACCESS, failed_at=timezone.now())

    assert (KNOCK["es-ar"] in show()) is is_refused


@pytest.mark.parametrize("provider", ["github", "google"])
def test_mails_with_the_link_say_it_too(host, provider):
    sign_in_by(host, provider, host.email)
    virtual_class = VirtualClassFactory(booked_by=host, scheduled=True)

    for kind in WITH_LINK:
        mail = render_mail(Notice(kind=kind, user=host, virtual_class=virtual_class))

        assert virtual_class.html_link in mail.body, kind
        assert ("Vas a tener que pedir entrar" in mail.body) is (provider == "github"), kind


@pytest.mark.parametrize("language", CUT)
def test_long_group_of_a_free_account_reads_that_it_is_cut_off(show, language):
    start = timezone.now() + timedelta(days=1)

    assert CUT[language] in show(language, start_time=start, end_time=start + timedelta(minutes=61))


@pytest.mark.parametrize(
    ("minutes", "students", "is_free"), [(60, 5, True), (90, 1, True), (90, 5, False)]
)
def test_others_do_not_read_it(show, minutes, students, is_free):
    BookingRules.objects.create(is_free_account=is_free)
    start = timezone.now() + timedelta(days=1)
    end = start + timedelta(minutes=minutes)
    kind = ClassType.GROUP if students > 1 else ClassType.INDIVIDUAL

    page = show(start_time=start, end_time=end, max_participants=students, class_type=kind)

    assert CUT["es-ar"] not in page
