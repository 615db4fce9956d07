"""domain/people/claiming.py: an account takes over everything of a person without one."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from accounts.models import User
from bookings.domain.classes.completing import complete_ended_classes
from bookings.domain.exceptions import BookingError
from bookings.domain.people.claiming import (
    LinkUselessError,
    claim_by_address,
    claim_class,
    confirm_claim,
    list_written_down,
    return_claim,
)
from bookings.domain.places.joining import join_class
from bookings.models import (
    ClassEvent,
    ClassLink,
    Hold,
    Notice,
    NoticeKind,
    Payment,
    UserActivity,
    VirtualClass,
)
from tests.factories import VirtualClassFactory
from tests.sales.written_down import ADDRESS, PHONE, book_class_for, write_lucia

pytestmark = pytest.mark.django_db


@pytest.fixture
def lucia(db):
    return write_lucia(email=ADDRESS)


@pytest.fixture
def paid(lucia, teacher):
    """Her class, paid to the teacher and scheduled."""
    return book_class_for(lucia, teacher, is_paid=True)


@pytest.fixture
def owner(host):
    """The account with her address."""
    host.email = ADDRESS
    host.save()
    return host


def test_everything_moves_and_the_person_goes(paid, lucia, owner, teacher, mercadopago):
    later = book_class_for(lucia, teacher, days=1)
    LogEntry.objects.create(user=teacher, object_id=str(lucia.pk), action_flag=2)

    claim_by_address(user=owner, person_id=lucia.pk)

    assert not User.objects.filter(pk=lucia.pk).exists()
    assert {one.booked_by for one in VirtualClass.objects.all()} == {owner}
    assert Payment.objects.get().purchase.person == Hold.objects.get().user == owner
    assert [one.user for one in UserActivity.objects.all()] == [owner]
    assert {one.user for one in Notice.objects.exclude(user=teacher)} == {owner}
    assert LogEntry.objects.get().object_id == str(owner.pk)
    links = ClassLink.objects.filter(claimed_by=owner, made_for=owner)
    assert {one.pk for one in links} == {paid.pk, later.pk}
    assert paid.log.get(event=ClassEvent.CLAIMED).actor == owner


def test_the_owner_of_the_address_is_offered_the_class(paid, owner, student):
    [offered] = list_written_down(owner)
    assert offered.classes == [paid]
    assert list_written_down(student) == []

    User.objects.filter(pk=offered.person.pk).update(private_notes="Viaja mucho.")
    claim_by_address(user=owner, person_id=offered.person.pk)
    owner.refresh_from_db()
    assert VirtualClass.objects.get().booked_by == owner
    assert (owner.phone, owner.private_notes) == (PHONE, "Viaja mucho.")


def test_nobody_else_claims_by_address(paid, lucia, student):
    with pytest.raises(LinkUselessError):
        claim_by_address(user=student, person_id=lucia.pk)

    assert VirtualClass.objects.get().booked_by == lucia


def test_the_link_brings_everything_to_the_account_with_the_address(paid, lucia, owner, teacher):
    book_class_for(lucia, teacher, days=1)

    claim_class(user=owner, token=paid.link.token)

    assert owner.booked_classes.count() == 2
    assert not Notice.objects.filter(kind=NoticeKind.LINK_CLAIMED).exists()


# --- Her yes --------------------------------------------------------------------------------------


def test_her_yes_moves_the_other_classes_too(paid, lucia, student, teacher):
    past = book_past(lucia)
    later = book_class_for(lucia, teacher, days=1)
    claim_class(user=student, token=paid.link.token)

    assert confirm_claim(class_id=paid.pk, by=teacher, fresh_sign_in=True) == student

    assert set(student.booked_classes.all()) == {past, paid, later}
    assert not User.objects.filter(pk=lucia.pk).exists()
    assert not ClassLink.objects.get(pk=paid.pk).is_undecided
    for decide in (confirm_claim, return_claim):
        with pytest.raises(BookingError, match="nada que deshacer"):
            decide(class_id=paid.pk, by=teacher, fresh_sign_in=True)


def test_her_yes_to_one_of_two_accounts_makes_the_other_class_hers(
    paid, lucia, student, stranger, teacher
):
    later = book_class_for(lucia, teacher, days=1)
    claim_class(user=stranger, token=paid.link.token)
    claim_class(user=student, token=later.link.token)

    confirm_claim(class_id=later.pk, by=teacher, fresh_sign_in=True)
    with pytest.raises(BookingError, match="nada que deshacer"):
        confirm_claim(class_id=paid.pk, by=teacher, fresh_sign_in=True)
    return_claim(class_id=paid.pk, by=teacher, fresh_sign_in=True)

    assert set(student.booked_classes.all()) == {paid, later}
    assert not stranger.booked_classes.exists()


def test_the_number_of_classes_adds_up(paid, lucia, owner):
    User.objects.filter(pk=owner.pk).update(total_classes=3)
    book_past(lucia)
    complete_ended_classes()
    assert User.objects.get(pk=lucia.pk).total_classes == 1

    claim_by_address(user=owner, person_id=lucia.pk)

    owner.refresh_from_db()
    assert owner.total_classes == 4


def book_past(person):
    """A scheduled class of hers that has just ended."""
    now, hour = timezone.now(), timedelta(hours=1)
    times = {"start_time": now - 2 * hour, "end_time": now - hour}
    return VirtualClassFactory(booked_by=person, scheduled=True, **times)


def test_a_guest_keeps_one_place(lucia, owner, teacher):
    group = book_class_for(lucia, teacher, is_paid=True, students=3)
    join_class(user=owner, access_code=group.access_code)

    claim_by_address(user=owner, person_id=lucia.pk)

    group.refresh_from_db()
    part = group.activities.get()
    assert (part.user, part.rol) == (owner, "anfitrion")
    assert (group.current_participants, group.participants_ids) == (1, [str(owner.pk)])


@pytest.mark.parametrize("who_came", ["both", "guest", "host"])
def test_a_completed_class_that_both_were_in_counts_once(lucia, owner, teacher, who_came):
    group = book_class_for(lucia, teacher, is_paid=True, students=3)
    join_class(user=owner, access_code=group.access_code)
    absent = {"both": None, "guest": lucia, "host": owner}[who_came]
    group.activities.filter(user=absent).update(no_show=True)
    hour, now = timedelta(hours=1), timezone.now()
    VirtualClass.objects.update(start_time=now - 2 * hour, end_time=now - hour)
    complete_ended_classes()

    claim_by_address(user=owner, person_id=lucia.pk)

    owner.refresh_from_db()
    part = group.activities.get()
    assert owner.total_classes == 1
    assert (part.user, part.rol, part.completed, part.no_show) == (owner, "anfitrion", True, False)
