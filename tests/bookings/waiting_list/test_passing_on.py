"""A place that is declined, let pass or lost goes to the next in line."""

from datetime import timedelta

import pytest

from accounts.models import User
from accounts.services import reactivate, suspend
from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.exceptions import BookingError, ClassFullError
from bookings.domain.places.joining import join_class
from bookings.domain.places.participants import _with_a_place_to_offer, pass_on_offers
from bookings.domain.places.waiting_list import (
    claim_place,
    leave_line,
    remove_from_line,
    wait_again,
)
from bookings.models import Notice, NoticeKind, PaymentStatus, VirtualClass
from tests.bookings.waiting_list.steps import CODE, NOW, WINDOW, free_place, people_in, state_of
from tests.factories import PaymentFactory


def test_a_declined_offer_goes_to_the_next(entry, second, virtual_class, student):
    free_place(virtual_class)

    leave_line(user=student, entry_id=entry.pk)

    assert (state_of(entry), state_of(second)) == ("left", "offered")


def test_leaving_the_line_leaves_the_offer_of_another(entry, second, virtual_class, stranger):
    free_place(virtual_class)

    for _ in range(2):
        leave_line(user=stranger, entry_id=second.pk)

    assert (state_of(entry), state_of(second)) == ("offered", "left")


def test_whoever_is_taken_out_by_the_teacher_is_offered_nothing(entry, second, virtual_class):
    remove_from_line(class_id=virtual_class.pk, entry_id=entry.pk)

    assert free_place(virtual_class) == second


def test_a_suspended_person_s_offer_passes_on_at_once(entry, second, virtual_class, student):
    free_place(virtual_class)

    suspend(user=student)

    assert (state_of(entry), state_of(second)) == ("waiting", "offered")
    assert entry.offer_expires_at is None


def test_a_suspension_that_is_taken_back_costs_no_turn(entry, second, virtual_class, student):
    suspend(user=student)
    assert free_place(virtual_class) == second
    reactivate(user=student)
    leave_line(user=second.user, entry_id=second.pk)

    assert (state_of(entry), state_of(second)) == ("offered", "left")


def test_a_place_stays_free_while_only_a_suspended_person_waits(entry, virtual_class, student):
    suspend(user=student)

    assert free_place(virtual_class) is None
    assert pass_on_offers() == 0
    assert not _with_a_place_to_offer(NOW).exists()


def test_a_suspended_person_is_not_told_of_a_cancelled_class(entry, second, virtual_class, teacher):
    suspend(user=entry.user)

    cancel_class(class_id=virtual_class.pk, actor=teacher)

    told = set(Notice.objects.filter(kind=NoticeKind.CANCELLED).values_list("user", flat=True))
    assert second.user_id in told
    assert entry.user_id not in told


def test_the_sweep_passes_on_what_a_suspension_left(entry, second, virtual_class, student):
    free_place(virtual_class)
    User.objects.filter(pk=student.pk).update(status="suspended")

    assert pass_on_offers() == 1

    assert (state_of(entry), state_of(second)) == ("waiting", "offered")


def test_who_is_suspended_while_claiming_gets_no_place(entry, virtual_class, student):
    free_place(virtual_class)
    User.objects.filter(pk=student.pk).update(status="suspended")

    with pytest.raises(BookingError, match="Se venció"):
        claim_place(user=student, entry_id=entry.pk)

    assert student.pk not in people_in(virtual_class)


def test_leaving_keeps_a_place_that_was_taken(entry, virtual_class, student):
    free_place(virtual_class)
    claim_place(user=student, entry_id=entry.pk)

    leave_line(user=student, entry_id=entry.pk)

    assert state_of(entry) == "claimed"


def test_the_sweep_passes_on_what_is_over(entry, second, virtual_class, time_machine):
    time_machine.move_to(free_place(virtual_class).offer_expires_at, tick=False)

    counts = [pass_on_offers(), pass_on_offers()]

    assert counts == [1, 0]
    assert (state_of(entry), state_of(second)) == ("expired", "offered")


def test_the_sweep_offers_a_place_that_was_freed_unnoticed(entry, virtual_class):
    VirtualClass.objects.update(max_participants=3)

    assert (pass_on_offers(), state_of(entry)) == (1, "offered")


def test_the_sweep_leaves_a_class_alone_that_begins_soon(entry, virtual_class):
    VirtualClass.objects.update(max_participants=3, start_time=NOW + timedelta(minutes=60))

    assert (pass_on_offers(), state_of(entry)) == (0, "waiting")


def test_whoever_let_an_offer_pass_waits_at_the_end(
    entry, second, virtual_class, student, time_machine
):
    time_machine.move_to(free_place(virtual_class).offer_expires_at, tick=False)

    wait_again(user=student, entry_id=entry.pk)

    assert (state_of(entry), state_of(second)) == ("waiting", "offered")


def test_whoever_waits_alone_is_offered_the_place_anew(entry, virtual_class, student, time_machine):
    time_machine.move_to(free_place(virtual_class).offer_expires_at, tick=False)

    again = wait_again(user=student, entry_id=entry.pk)

    assert again.state == "offered"
    assert Notice.objects.filter(kind="place_offered", user=student).count() == 2


def test_whoever_waits_for_a_class_that_is_cancelled_is_told(
    entry, second, virtual_class, teacher, stranger
):
    free_place(virtual_class)
    leave_line(user=stranger, entry_id=second.pk)

    cancel_class(class_id=virtual_class.pk, actor=teacher)

    told = Notice.objects.filter(kind="cancelled").values_list("user", flat=True)
    assert set(told) == {*people_in(virtual_class), entry.user_id}
    assert (state_of(entry), pass_on_offers()) == ("left", 0)


def test_a_guest_s_place_goes_to_the_first_in_line(entry, second, virtual_class, stranger):
    guest = virtual_class.activities.get(rol="participante").user

    leave_class(class_id=virtual_class.pk, user=guest)

    with pytest.raises(ClassFullError):
        join_class(user=guest, access_code=CODE)
    assert (state_of(entry), state_of(second)) == ("offered", "waiting")


@pytest.mark.parametrize(
    ("start", "window"),
    [(timedelta(days=5), WINDOW), (timedelta(hours=4), timedelta(hours=2))],
)
def test_an_offer_follows_a_class_that_is_moved(
    entry, second, virtual_class, teacher, start, window, time_machine
):
    free_place(virtual_class)
    time_machine.shift(0.5)

    reschedule_class(class_id=virtual_class.pk, actor=teacher, start=NOW + start)

    entry.refresh_from_db()
    assert (entry.state, state_of(second)) == ("offered", "waiting")
    assert abs(entry.offer_expires_at - entry.offered_at - window) < timedelta(seconds=1)
    assert Notice.objects.filter(kind="place_offered").count() == 2


def test_whoever_waits_is_told_of_a_move_once(entry, second, virtual_class, teacher, time_machine):
    free_place(virtual_class)
    time_machine.shift(0.5)

    reschedule_class(class_id=virtual_class.pk, actor=teacher, start=NOW + timedelta(days=5))

    told = Notice.objects.values_list("user", flat=True)
    # The first in line hears of it with the offer.
    assert list(told.filter(kind="waiting_class_moved")) == [second.user_id]
    assert set(told.filter(kind="rescheduled")) == people_in(virtual_class)


def test_a_class_moved_to_soon_keeps_its_places_for_nobody(entry, virtual_class, teacher, student):
    free_place(virtual_class)

    reschedule_class(class_id=virtual_class.pk, actor=teacher, start=NOW + timedelta(minutes=40))

    assert state_of(entry) == "waiting"
    assert claim_place(user=student, entry_id=entry.pk).current_participants == 3


def test_a_class_whose_money_went_back_offers_no_place(entry, virtual_class, host):
    PaymentFactory(
        purchase=virtual_class.purchase,
        status=PaymentStatus.CHARGED_BACK,
        approved_at=NOW,
    )

    assert free_place(virtual_class) is None
    assert pass_on_offers() == 0
    assert not _with_a_place_to_offer(NOW).exists()
