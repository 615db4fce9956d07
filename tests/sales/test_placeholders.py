"""People whom the teacher wrote down: reached, found, exported and erased, and never signed in."""

import json

import pytest
from django.test import Client

from accounts.models import User, UserStatus
from accounts.services import PLACEHOLDER_DOMAIN, strike_out, write_down
from bookings.domain.calendar.drafts import list_guests
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import BookingError
from bookings.domain.people.personal_data import erase_person, export_person
from bookings.domain.people.students import find_same_people, find_students
from bookings.models import Notice, NoticeKind
from bookings.notices.facts import must_knock
from bookings.notices.registry import reason_to_skip
from bookings.notices.rendering import render_mail
from tests.accounts.flows import sign_in as sign_in_with
from tests.sales.written_down import ADDRESS, PHONE, book_class_for, write_lucia

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("name", "phone"), [("", PHONE), ("  ", PHONE), ("Lucía", "")])
def test_a_person_has_a_name_and_a_way_to_be_reached(name, phone):
    with pytest.raises(ValueError, match="has a name"):
        write_down(name=name, phone=phone)

    assert not User.objects.exists()


def test_somebody_who_signs_in_with_the_address_gets_an_account_of_their_own(google):
    google.add_person(email=ADDRESS, name="Lucía Lagos")
    lucia, client = write_lucia(email=ADDRESS), Client()

    sign_in_with(client, "google", ADDRESS)

    assert client.get("/inicio/perfil").status_code == 200
    account = User.objects.get(email=ADDRESS)
    assert (account.status, account.pk == lucia.pk) == (UserStatus.ACTIVE, False)


def test_nobody_signs_in_with_the_technical_address(google):
    lucia, client = write_lucia(), Client()
    google.add_person(email=lucia.email, name="Mallory")

    sign_in_with(client, "google", lucia.email)

    assert client.get("/inicio/perfil").status_code == 302


def test_she_is_no_guest_of_the_meeting(google, teacher, student):
    booked = book_class_for(write_lucia(email=ADDRESS), teacher, is_paid=True)

    assert list_guests(booked) == ()
    assert must_knock(booked.booked_by)
    assert PLACEHOLDER_DOMAIN not in json.dumps(google.events(), default=str)


def test_mails_reach_a_known_address_with_the_link(mercadopago, teacher):
    booked = book_class_for(write_lucia(email=ADDRESS), teacher)
    notice = Notice.objects.get(kind=NoticeKind.BOOKED_FOR)

    mail = render_mail(notice)

    assert (mail.to, reason_to_skip(notice)) == ([ADDRESS], "")
    assert f"/clase/{booked.link.token}" in mail.body
    assert PLACEHOLDER_DOMAIN not in str(mail.message())


def test_no_mail_leaves_without_an_address(mercadopago, teacher):
    booked = book_class_for(write_lucia(), teacher)
    cancel_class(class_id=booked.pk, actor=teacher)

    assert Notice.objects.exists()
    assert all("no tiene cuenta" in reason_to_skip(one) for one in Notice.objects.all())


@pytest.mark.parametrize("words", ["lucia", "lagos luc", "555 0199", "lucia@exam"])
def test_the_teacher_finds_her(words):
    lucia = write_lucia(email=ADDRESS)

    assert [card.person for card in find_students(words=words).cards] == [lucia]


@pytest.mark.parametrize(
    "given",
    [
        {"phone": "0341 15 555-0199", "email": ""},
        {"phone": "+54 341 5550199", "email": ""},
        {"phone": "", "email": ADDRESS},
    ],
)
def test_she_is_recognised_by_phone_or_address(given, student):
    lucia = write_lucia(email=ADDRESS)

    assert find_same_people(**given) == [lucia]
    assert find_same_people(phone="341 555 0198", email="other@example.com") == []


def test_her_data_is_exported_without_the_technical_address(teacher):
    lucia = write_lucia(email=ADDRESS)
    booked = book_class_for(lucia, teacher)

    data = json.loads(export_person(lucia))

    assert data["profile"]["email"] == ADDRESS
    assert [one["class"] for one in data["classLinks"]] == [str(booked.pk)]
    assert PLACEHOLDER_DOMAIN not in json.dumps(data)


def test_she_is_erased_like_anybody(teacher):
    lucia = write_lucia(email=ADDRESS)
    cancel_class(class_id=book_class_for(lucia, teacher).pk, actor=teacher)

    erase_person(user=lucia, by=teacher, fresh_sign_in=True)

    lucia.refresh_from_db()
    assert (lucia.status, lucia.name, lucia.phone, lucia.contact_email) == ("erased", "", "", "")


def test_a_person_with_a_class_is_not_struck_out(teacher):
    lucia, nobody = write_lucia(), write_lucia()
    book_class_for(lucia, teacher)

    assert (strike_out(person=lucia), strike_out(person=nobody)) == (False, True)
    assert list(User.objects.filter(status="placeholder")) == [lucia]


def test_a_booking_for_a_person_who_was_merged_meanwhile_is_refused(teacher):
    lucia = write_lucia()
    User.objects.filter(pk=lucia.pk).delete()

    with pytest.raises(BookingError, match="acaba de tomar"):
        book_class_for(lucia, teacher)
