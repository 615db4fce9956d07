"""domain/people/claiming.py: an account takes over a class, or everything of a person."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.utils import timezone

from accounts.models import User
from bookings.domain.desk.messages import send_message
from bookings.domain.exceptions import BookingError
from bookings.domain.people.claiming import (
    LinkState,
    LinkUselessError,
    NotForTeacherError,
    claim_by_address,
    claim_class,
    confirm_claim,
    find_link,
    list_written_down,
    replace_link,
    return_claim,
)
from bookings.domain.people.personal_data import export_person
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
from bookings.notices.registry import reason_to_skip
from bookings.notices.rendering import render_mail
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


def claim(user, virtual_class):
    return claim_class(user=user, token=token_of(virtual_class))


def test_the_class_of_the_link_moves_alone(paid, lucia, host, teacher, mercadopago):
    later = book_class_for(lucia, teacher, days=1)

    claimed = claim(host, paid)

    later.refresh_from_db()
    assert (claimed.booked_by, later.booked_by) == (host, lucia)
    assert claimed.participants_ids == [str(host.pk)]
    assert claimed.activities.get().user == host
    assert (
        Payment.objects.get().purchase.person == Hold.objects.get().user == lucia
    )  # of the later class
    link = ClassLink.objects.get(pk=paid.pk)
    assert (link.claimed_by, link.made_for, link.is_undecided) == (host, lucia, True)
    assert state_of(token_of(later)) == LinkState.OPEN


def test_words_phone_and_notes_do_not_follow_a_link_that_may_be_forwarded(
    paid, lucia, host, teacher
):
    User.objects.filter(pk=lucia.pk).update(private_notes="Teme a los perros.")
    VirtualClass.objects.update(learning_focus="Mi divorcio, en pasado.")
    send_message(
        classes=VirtualClass.objects.all(),
        people={lucia.pk},
        subject="Para vos",
        text="Traé el libro.",
        by=teacher,
    )

    claim(host, paid)

    private = ("Lucía", PHONE, ADDRESS, "perros", "Traé el libro.", "divorcio")
    assert not [one for one in private if one in export_person(host)]
    host.refresh_from_db()
    assert (host.phone, host.private_notes) == ("", "")

    confirm_claim(class_id=paid.pk, by=teacher, fresh_sign_in=True)
    host.refresh_from_db()
    assert not [
        one for one in (PHONE, "perros", "libro", "divorcio") if one not in export_person(host)
    ]


def test_the_teacher_and_the_written_down_address_are_told(paid, lucia, host, teacher):
    claim(host, paid)

    told = {one.kind: one for one in Notice.objects.filter(kind__endswith="link_claimed")}
    assert {kind: one.user for kind, one in told.items()} == {
        NoticeKind.LINK_CLAIMED: teacher,
        NoticeKind.OWN_LINK_CLAIMED: lucia,
    }
    mail = render_mail(told[NoticeKind.LINK_CLAIMED])
    assert mail.subject.startswith("Ana guardó en su cuenta la clase")
    assert f"{host} ({host.email})" in mail.body
    assert f"{lucia} ({PHONE})" in mail.body
    to_lucia = render_mail(told[NoticeKind.OWN_LINK_CLAIMED])
    assert to_lucia.to == [ADDRESS]
    assert host.name not in to_lucia.body
    assert host.email not in to_lucia.body

    return_claim(class_id=paid.pk, by=teacher, fresh_sign_in=True)
    assert all(reason_to_skip(one) for one in told.values())


def test_the_first_claim_wins_and_may_be_repeated(paid, host, student):
    token = token_of(paid)
    claim_class(user=host, token=token)

    assert claim_class(user=host, token=token) == paid
    assert paid.log.filter(event=ClassEvent.CLAIMED).count() == 1
    with pytest.raises(LinkUselessError):
        claim_class(user=student, token=token)

    assert VirtualClass.objects.get().booked_by == host
    assert state_of(token) == LinkState.CLAIMED


def test_a_guest_claims_nothing(lucia, student, teacher):
    group = book_class_for(lucia, teacher, is_paid=True, students=3)
    join_class(user=student, access_code=group.access_code)

    with pytest.raises(BookingError, match="Ya estás en esta clase"):
        claim(student, group)

    group.refresh_from_db()
    assert (group.booked_by, group.current_participants) == (lucia, 2)


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


def test_a_new_link_ends_the_old_one(paid, host, teacher):
    old = token_of(paid)
    replace_link(class_id=paid.pk, by=teacher)

    with pytest.raises(LinkUselessError):
        claim_class(user=host, token=old)

    assert state_of(old) == LinkState.REPLACED
    assert state_of(token_of(paid)) == LinkState.OPEN
    assert paid.log.filter(event=ClassEvent.LINK_CHANGED, actor=teacher).count() == 1


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
