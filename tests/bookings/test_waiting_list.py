"""domain/places/waiting_list.py: getting into line, offers, taking and passing them on."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from accounts.models import User
from accounts.services import reactivate, suspend
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.changing import change_capacity, reschedule_class
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassCancelledError,
    ClassFullError,
    ClassNotFoundError,
    OwnClassError,
    PlaceOfferedError,
    TooManyAttemptsError,
)
from bookings.domain.places.joining import join_class
from bookings.domain.places.participants import pass_on_offers
from bookings.domain.places.waiting_list import (
    claim_place,
    leave_line,
    remove_from_line,
    wait_again,
    wait_for_place,
)
from bookings.models import (
    ClassLog,
    ClassStatus,
    Notice,
    PaymentStatus,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
)
from tests.factories import PaymentFactory, UserFactory, VirtualClassFactory

CODE = "ABCD2345"
NOW = datetime(2026, 11, 23, 8, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
WINDOW = timedelta(hours=12)


def free_place(virtual_class, count=1):
    """Let places become free; give the offer that is made."""
    capacity = VirtualClass.objects.get(pk=virtual_class.pk).max_participants + count
    since = WaitingListEntry.objects.filter(state="offered").first()
    change_capacity(class_id=virtual_class.pk, capacity=capacity)
    offer = WaitingListEntry.objects.filter(state="offered").first()
    return offer if offer != since else None


def state_of(entry):
    entry.refresh_from_db()
    return entry.state


def people_in(virtual_class):
    return set(UserActivity.objects.filter(virtual_class=virtual_class).values_list("user", flat=1))


@pytest.fixture(autouse=True)
def _now(time_machine):
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def virtual_class(host):
    """A full group of two, in two days: the host and a guest."""
    virtual_class = VirtualClassFactory(
        scheduled=True,
        booked_by=host,
        access_code=CODE,
        max_participants=2,
        start_time=NOW + timedelta(days=2),
    )
    join_class(user=UserFactory(name="Gina Guest"), access_code=CODE)
    virtual_class.refresh_from_db()
    return virtual_class


@pytest.fixture
def entry(virtual_class, student):
    """The student's place in line, the first."""
    return wait_for_place(user=student, access_code=CODE)


@pytest.fixture
def second(entry, stranger, time_machine):
    """The stranger's place in line, a moment later."""
    time_machine.move_to(NOW + timedelta(seconds=1), tick=False)
    return wait_for_place(user=stranger, access_code=CODE)


def test_wait_for_place_puts_a_person_at_the_end_of_the_line(entry, second, virtual_class, student):
    line = list(virtual_class.waiting_list.all())

    assert line == [entry, second]
    assert (entry.user, entry.state, entry.created_at) == (student, "waiting", NOW)


def cancel(virtual_class):
    virtual_class.status = ClassStatus.CANCELLED


def complete(virtual_class):
    virtual_class.status = ClassStatus.COMPLETED


def begin_soon(virtual_class):
    virtual_class.start_time = NOW + timedelta(minutes=60)


def make_individual(virtual_class):
    virtual_class.class_type = "individual"


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (cancel, "No encontramos"),
        (complete, "no tiene lista de espera"),
        (begin_soon, "no tiene lista de espera"),
        (make_individual, "no tiene lista de espera"),
    ],
)
def test_nobody_waits_for_a_class_that_has_no_line(virtual_class, student, change, refusal):
    change(virtual_class)
    virtual_class.save()

    with pytest.raises(BookingError, match=refusal):
        wait_for_place(user=student, access_code=CODE)

    assert not WaitingListEntry.objects.exists()


def test_whoever_takes_part_does_not_wait(virtual_class, host):
    guest = virtual_class.activities.get(rol="participante").user

    with pytest.raises(OwnClassError):
        wait_for_place(user=host, access_code=CODE)
    with pytest.raises(AlreadyJoinedError):
        wait_for_place(user=guest, access_code=CODE)


def test_getting_into_line_again_and_again_is_slowed_down(entry, student, settings):
    settings.MAX_WAITS = 3
    for _ in range(2):
        leave_line(user=student, entry_id=entry.pk)
        wait_again(user=student, entry_id=entry.pk)

    with pytest.raises(TooManyAttemptsError):
        wait_again(user=student, entry_id=entry.pk)
    with pytest.raises(TooManyAttemptsError):
        wait_for_place(user=student, access_code=CODE)


def test_a_freed_place_is_offered_to_the_first_in_line(entry, second, virtual_class, student):
    offer = free_place(virtual_class)

    assert (offer, state_of(second)) == (entry, "waiting")
    assert (offer.state, offer.offer_expires_at - offer.offered_at) == ("offered", WINDOW)
    [notice] = Notice.objects.filter(kind="place_offered")
    assert (notice.user, notice.occasion) == (student, offer.offered_at.isoformat())
    details = {"person": str(student.pk), "until": offer.offer_expires_at.isoformat()}
    assert ClassLog.objects.get(event="offered").details == details


@pytest.mark.parametrize(
    ("left", "window"),
    [
        (timedelta(days=3), WINDOW),
        (timedelta(hours=24), WINDOW),
        (timedelta(hours=10), timedelta(hours=5)),
        (timedelta(minutes=61), timedelta(minutes=30, seconds=30)),
        (timedelta(minutes=60), None),
        (timedelta(minutes=-5), None),
    ],
)
def test_the_window_is_shorter_near_the_start(entry, virtual_class, left, window):
    VirtualClass.objects.update(start_time=NOW + left, end_time=NOW + left + timedelta(hours=1))

    offer = free_place(virtual_class)

    assert (offer and offer.offer_expires_at - NOW) == window


def test_an_offered_place_is_nobody_else_s(entry, virtual_class, stranger, student):
    free_place(virtual_class)

    with pytest.raises(PlaceOfferedError):
        join_class(user=stranger, access_code=CODE)
    joined = join_class(user=student, access_code=CODE)

    assert (joined.current_participants, state_of(entry)) == (3, "claimed")


def test_an_offer_that_is_over_keeps_nobody_out_even_if_nobody_sweeps(
    entry, virtual_class, stranger, time_machine
):
    expiry = free_place(virtual_class).offer_expires_at

    time_machine.move_to(expiry - timedelta(milliseconds=1), tick=False)
    with pytest.raises(ClassFullError):
        join_class(user=stranger, access_code=CODE)
    time_machine.move_to(expiry, tick=False)
    assert join_class(user=stranger, access_code=CODE).current_participants == 3


def test_claim_place_joins(entry, virtual_class, student):
    free_place(virtual_class)

    joined = claim_place(user=student, entry_id=entry.pk)

    assert (joined.current_participants, state_of(entry)) == (3, "claimed")
    assert student.pk in people_in(virtual_class)
    assert Notice.objects.filter(kind="joined", user=student).exists()


def test_nobody_claims_before_their_turn(entry, second, virtual_class, stranger):
    with pytest.raises(ClassFullError):
        claim_place(user=stranger, entry_id=second.pk)
    free_place(virtual_class)

    with pytest.raises(ClassFullError):
        claim_place(user=stranger, entry_id=second.pk)


@pytest.mark.parametrize("is_swept", [False, True])
def test_an_offer_ends_with_its_last_instant(entry, virtual_class, student, time_machine, is_swept):
    expiry = free_place(virtual_class).offer_expires_at
    time_machine.move_to(expiry, tick=False)
    if is_swept:
        pass_on_offers()

    with pytest.raises(BookingError, match="Se venció"):
        claim_place(user=student, entry_id=entry.pk)


def test_a_cancelled_class_has_no_place_to_claim(entry, virtual_class, student):
    free_place(virtual_class)
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)

    with pytest.raises(ClassCancelledError):
        claim_place(user=student, entry_id=entry.pk)


@pytest.mark.parametrize("step", [claim_place, leave_line, wait_again])
def test_somebody_else_s_entry_does_not_exist(entry, virtual_class, stranger, step):
    free_place(virtual_class)

    with pytest.raises(ClassNotFoundError):
        step(user=stranger, entry_id=entry.pk)

    assert state_of(entry) == "offered"


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


def test_who_is_suspended_while_claiming_gets_no_place(entry, virtual_class, student):
    free_place(virtual_class)
    User.objects.filter(pk=student.pk).update(status="suspended")

    with pytest.raises(BookingError, match="Se venció"):
        claim_place(user=student, entry_id=entry.pk)

    assert student.pk not in people_in(virtual_class)


def test_the_sweep_passes_on_what_is_over(entry, second, virtual_class, time_machine):
    time_machine.move_to(free_place(virtual_class).offer_expires_at, tick=False)

    counts = [pass_on_offers(), pass_on_offers()]

    assert counts == [1, 0]
    assert (state_of(entry), state_of(second)) == ("expired", "offered")


def test_the_sweep_offers_a_place_that_was_freed_unnoticed(entry, virtual_class):
    VirtualClass.objects.update(max_participants=3)

    assert (pass_on_offers(), state_of(entry)) == (1, "offered")


def test_whoever_let_an_offer_pass_waits_at_the_end(
    entry, second, virtual_class, student, time_machine
):
    time_machine.move_to(free_place(virtual_class).offer_expires_at, tick=False)

    wait_again(user=student, entry_id=entry.pk)

    assert (state_of(entry), state_of(second)) == ("waiting", "offered")


def test_whoever_waits_for_a_class_that_is_cancelled_is_told(
    entry, second, virtual_class, teacher, stranger
):
    free_place(virtual_class)
    leave_line(user=stranger, entry_id=second.pk)

    cancel_class(class_id=virtual_class.pk, actor=teacher)

    told = Notice.objects.filter(kind="cancelled").values_list("user", flat=True)
    assert set(told) == {*people_in(virtual_class), entry.user_id}
    assert (state_of(entry), pass_on_offers()) == ("left", 0)


@pytest.mark.parametrize(
    ("start", "window"), [(timedelta(days=5), WINDOW), (timedelta(hours=4), timedelta(hours=2))]
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
        purchase=virtual_class.purchase, status=PaymentStatus.CHARGED_BACK, approved_at=NOW
    )

    assert free_place(virtual_class) is None
    assert pass_on_offers() == 0


def test_change_capacity_goes_down_to_who_is_in_or_offered_a_place(entry, virtual_class):
    change_capacity(class_id=virtual_class.pk, capacity=5)

    with pytest.raises(BookingError, match="más personas"):
        change_capacity(class_id=virtual_class.pk, capacity=2)
    changed = change_capacity(class_id=virtual_class.pk, capacity=3)

    assert (changed.max_participants, state_of(entry)) == (3, "offered")
