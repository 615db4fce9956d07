"""domain/people/claiming.py: an account takes over the classes of a person without one."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.drafts import list_guests
from bookings.domain.checkout.settling import settle
from bookings.domain.desk.messages import send_message
from bookings.domain.exceptions import BookingError
from bookings.domain.lifecycle.cancelling import cancel_class
from bookings.domain.lifecycle.completing import complete_ended_classes
from bookings.domain.people.claiming import (
    LinkUselessError,
    NotForTeacherError,
    claim_by_address,
    claim_class,
    list_written_down,
    return_claim,
)
from bookings.domain.people.erasing import erase_person
from bookings.domain.people.personal_data import export_person
from bookings.domain.places.class_links import LinkState, find_link, replace_link
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
from bookings.notices.audit import audit_notices
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


def token_of(virtual_class):
    return ClassLink.objects.get(pk=virtual_class.pk).token


def state_of(token):
    return find_link(token).state


def test_everything_moves_and_the_person_goes(paid, lucia, host, teacher, mercadopago):
    later = book_class_for(lucia, teacher, days=1)
    LogEntry.objects.create(user=teacher, object_id=str(lucia.pk), action_flag=2)

    claimed = claim_class(user=host, token=token_of(paid))

    assert not User.objects.filter(pk=lucia.pk).exists()
    assert {one.booked_by for one in VirtualClass.objects.all()} == {host}
    assert claimed.participants_ids == [str(host.pk)]
    assert Payment.objects.get().user == host
    assert [one.user for one in UserActivity.objects.all()] == [host]
    assert {one.user for one in Notice.objects.exclude(user=teacher)} == {host}
    assert Hold.objects.get().user == host
    assert LogEntry.objects.get().object_id == str(host.pk)
    links = ClassLink.objects.filter(claimed_by=host, made_for=None, claimed_at__isnull=False)
    assert {one.pk for one in links} == {paid.pk, later.pk}


def test_history_and_calendar_follow(paid, host):
    claim_class(user=host, token=token_of(paid))

    paid.refresh_from_db()
    host.refresh_from_db()
    line = paid.log.get(event=ClassEvent.CLAIMED)
    assert (line.actor, line.details) == (host, {"person": str(host.pk)})
    assert paid.guests_changed_at is not None
    assert list_guests(paid) == (host.email,)
    assert audit_notices(since=timezone.now() - timedelta(days=1)).open_questions == []


def test_phone_notes_and_messages_do_not_follow_a_link_that_may_be_forwarded(
    paid, lucia, host, teacher
):
    User.objects.filter(pk=lucia.pk).update(private_notes="Teme a los perros.")
    send_message(
        classes=VirtualClass.objects.all(),
        people={lucia.pk},
        subject="Para vos",
        text="Traé el libro.",
        by=teacher,
    )

    claim_class(user=host, token=token_of(paid))

    host.refresh_from_db()
    assert (host.phone, host.private_notes) == ("", "")
    private = ("Lucía", PHONE, ADDRESS, "perros", "Traé el libro.")
    assert not [one for one in private if one in export_person(host)]
    assert "Teme a los perros." in paid.log.get(event=ClassEvent.CLAIMED).reason
    erase_history(host)
    assert paid.log.get(event=ClassEvent.CLAIMED).reason == ""


def erase_history(user):
    """Erase an account after its class was cancelled."""
    cancel_class(class_id=user.booked_classes.get().pk, actor=user)
    erase_person(user=user, by=user)


def test_the_class_and_its_money_go_on(lucia, host, teacher, mercadopago):
    booked = book_class_for(lucia, teacher)
    claim_class(user=host, token=token_of(booked))
    mercadopago.pay(booked.preference_id)

    settle(booked.preference_id)

    booked.refresh_from_db()
    assert (booked.is_scheduled, booked.booked_by) == (True, host)
    assert Notice.objects.get(kind=NoticeKind.CONFIRMATION).user == host


def test_the_number_of_classes_adds_up(paid, host):
    User.objects.filter(pk=host.pk).update(total_classes=3)
    times = {"start_time": timezone.now() - timedelta(hours=2)}
    other = book_past(paid.booked_by, times)
    complete_ended_classes()
    assert User.objects.get(pk=other.booked_by_id).total_classes == 1

    claim_class(user=host, token=token_of(paid))

    host.refresh_from_db()
    assert host.total_classes == 4


def book_past(person, times):
    """A scheduled class of hers that has just ended."""

    return VirtualClassFactory(
        booked_by=person, scheduled=True, end_time=timezone.now() - timedelta(hours=1), **times
    )


def test_the_first_claim_wins_and_may_be_repeated(paid, host, student):
    token = token_of(paid)
    claim_class(user=host, token=token)

    assert claim_class(user=host, token=token) == paid
    assert paid.log.filter(event=ClassEvent.CLAIMED).count() == 1
    with pytest.raises(LinkUselessError):
        claim_class(user=student, token=token)

    assert VirtualClass.objects.get().booked_by == host
    assert state_of(token) == LinkState.CLAIMED


def test_a_guest_who_claims_the_group_keeps_one_place(lucia, student, teacher):
    group = book_class_for(lucia, teacher, is_paid=True, students=3)
    join_class(user=student, access_code=group.access_code)

    claim_class(user=student, token=token_of(group))

    group.refresh_from_db()
    part = group.activities.get()
    assert (part.user, part.rol) == (student, "anfitrion")
    assert (group.current_participants, group.participants_ids) == (1, [str(student.pk)])


@pytest.mark.parametrize("who_came", ["both", "guest", "host"])
def test_a_completed_class_that_both_were_in_counts_once(lucia, student, teacher, who_came):
    group = book_class_for(lucia, teacher, is_paid=True, students=3)
    join_class(user=student, access_code=group.access_code)
    absent = {"both": None, "guest": lucia, "host": student}[who_came]
    group.activities.filter(user=absent).update(no_show=True)
    hour, now = timedelta(hours=1), timezone.now()
    VirtualClass.objects.update(start_time=now - 2 * hour, end_time=now - hour)
    complete_ended_classes()
    later = book_class_for(lucia, teacher, days=1)

    claim_class(user=student, token=token_of(later))

    student.refresh_from_db()
    part = group.activities.get()
    assert student.total_classes == 1
    assert (part.user, part.rol, part.completed, part.no_show) == (
        student,
        "anfitrion",
        True,
        False,
    )


def test_the_teacher_claims_nothing(paid, teacher):
    with pytest.raises(NotForTeacherError):
        claim_class(user=teacher, token=token_of(paid))


def test_a_link_for_an_account_cannot_be_claimed(host, student, teacher):
    booked = book_class_for(host, teacher)

    with pytest.raises(LinkUselessError):
        claim_class(user=student, token=token_of(booked))

    assert VirtualClass.objects.get().booked_by == host


@pytest.mark.parametrize("change", ["", "x", "garbage", "." * 99, "\x00", "ñ", "a.b.c"])
def test_garbage_claims_nothing(paid, host, change):
    with pytest.raises(LinkUselessError):
        claim_class(user=host, token=change)


def test_a_foreign_key_or_class_is_no_link(paid, lucia, teacher):
    other = book_class_for(lucia, teacher, days=2)
    value, signature = token_of(paid).split(".")

    assert state_of(f"{other.pk.hex}{value[32:]}.{signature}") == LinkState.BROKEN
    assert state_of(f"{value[:32]}{value[:31:-1]}.{signature}") == LinkState.BROKEN
    assert state_of(f"{value}.{signature[::-1]}") == LinkState.BROKEN


def test_a_new_link_ends_the_old_one(paid, host, teacher):
    old = token_of(paid)
    replace_link(class_id=paid.pk, by=teacher)

    with pytest.raises(LinkUselessError):
        claim_class(user=host, token=old)

    assert state_of(old) == LinkState.REPLACED
    assert state_of(token_of(paid)) == LinkState.OPEN
    assert paid.log.filter(event=ClassEvent.LINK_CHANGED, actor=teacher).count() == 1


def test_a_link_ends_in_a_letter_or_digit(lucia, teacher):
    """A messenger may leave a dash out of the address."""
    link = ClassLink(virtual_class=book_class_for(lucia, teacher))
    for _ in range(100):
        link.renew()
        assert link.token[-1].isalnum()


# --- By address -----------------------------------------------------------------------------------


def test_the_owner_of_the_address_is_offered_the_class(paid, host, student):
    host.email = ADDRESS
    host.save()

    [offered] = list_written_down(host)
    assert offered.classes == [paid]
    assert list_written_down(student) == []

    User.objects.filter(pk=offered.person.pk).update(private_notes="Viaja mucho.")
    claim_by_address(user=host, person_id=offered.person.pk)
    host.refresh_from_db()
    assert VirtualClass.objects.get().booked_by == host
    assert (host.phone, host.private_notes) == (PHONE, "Viaja mucho.")


def test_nobody_else_claims_by_address(paid, lucia, student):
    with pytest.raises(LinkUselessError):
        claim_by_address(user=student, person_id=lucia.pk)

    assert VirtualClass.objects.get().booked_by == lucia


# --- The way back ---------------------------------------------------------------------------------


def undo(virtual_class, teacher):
    return return_claim(class_id=virtual_class.pk, name="Lucía", phone=PHONE, email="", by=teacher)


def test_a_wrong_claim_is_undone_with_new_links_for_the_right_account(
    paid, lucia, student, host, teacher, mercadopago
):
    later = book_class_for(lucia, teacher, days=1)
    mine = book_class_for(student, teacher, days=2)
    token = token_of(paid)
    claim_class(user=student, token=token)

    returned = undo(paid, teacher)

    person = returned.booked_by
    assert (person.name, person.phone, person.is_placeholder) == ("Lucía", PHONE, True)
    later.refresh_from_db()
    mine.refresh_from_db()
    assert (later.booked_by, mine.booked_by) == (person, student)
    assert Payment.objects.exclude(virtual_class=mine).get().user == person
    assert paid.activities.get().user == person
    assert returned.participants_ids == [str(person.pk)]
    assert state_of(token) == LinkState.REPLACED
    assert state_of(token_of(paid)) == LinkState.OPEN
    assert list_guests(returned) == ()

    claim_class(user=host, token=token_of(paid))
    assert set(host.booked_classes.all()) == {paid, later}


def test_what_nobody_claimed_cannot_be_undone(paid, lucia, teacher):
    with pytest.raises(BookingError, match="Nadie tomó"):
        undo(paid, teacher)

    assert VirtualClass.objects.get().booked_by == lucia


def test_an_account_that_claimed_is_erased_like_any_other(lucia, host, teacher):
    booked = book_class_for(lucia, teacher)
    claim_class(user=host, token=token_of(booked))

    erase_person(user=host, by=host)

    assert not User.objects.filter(phone=PHONE).exists()
