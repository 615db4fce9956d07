"""domain/people/claiming.py: an account takes over the class of a link."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.drafts import list_guests
from bookings.domain.desk.messages import send_message
from bookings.domain.exceptions import BookingError
from bookings.domain.people.claiming import (
    LinkState,
    LinkUselessError,
    NotForTeacherError,
    claim_class,
    confirm_claim,
    find_link,
    replace_link,
    return_claim,
)
from bookings.domain.people.personal_data import export_person
from bookings.domain.places.joining import join_class
from bookings.domain.sales.settling import settle
from bookings.models import (
    ClassEvent,
    ClassLink,
    Hold,
    Notice,
    NoticeKind,
    Payment,
    VirtualClass,
)
from bookings.notices.registry import reason_to_skip
from bookings.notices.rendering import render_mail
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


def test_history_and_calendar_follow(paid, host):
    claim(host, paid)

    paid.refresh_from_db()
    line = paid.log.get(event=ClassEvent.CLAIMED)
    assert (line.actor, line.details) == (host, {"person": str(host.pk)})
    assert paid.guests_changed_at is not None
    assert list_guests(paid) == (host.email,)


def test_sent_mails_stay_with_their_reader_and_others_follow_the_class(paid, lucia, host):
    due = timezone.now() + timedelta(minutes=30)
    kinds = NoticeKind.CONFIRMATION, NoticeKind.REMINDER_HOUR
    Notice.objects.filter(user=lucia).delete()
    Notice.objects.create(
        virtual_class=paid, user=lucia, kind=kinds[0], sent_at=due, next_attempt_at=None
    )
    Notice.objects.bulk_create([Notice.draft(kinds[1], paid, lucia.pk, due)])

    claim(host, paid)

    readers = {one.kind: one.user for one in Notice.objects.filter(kind__in=kinds)}
    assert readers == {kinds[0]: lucia, kinds[1]: host}


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


def test_the_class_and_its_money_go_on(lucia, host, teacher, mercadopago):
    booked = book_class_for(lucia, teacher)
    claim_class(user=host, token=token_of(booked))
    mercadopago.pay(booked.preference_id)

    settle(booked.preference_id)

    booked.refresh_from_db()
    assert (booked.is_scheduled, booked.booked_by) == (True, host)
    assert Notice.objects.get(kind=NoticeKind.CONFIRMATION).user == host


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
