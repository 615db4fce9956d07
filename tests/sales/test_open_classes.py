"""domain/sales/open_classes.py: published by the teacher, and called off with too few people."""

from datetime import timedelta

import pytest
from django.db.models.signals import post_save
from django.utils import timezone

from bookings.domain.classes.changing import change_capacity, reschedule_class
from bookings.domain.exceptions import BookingError, SlotTakenError, TimeOverError
from bookings.domain.money.refunds import send_due_refunds
from bookings.domain.places.joining import join_class
from bookings.domain.sales.open_classes import decide_open_classes, go_on_anyway, warn_of_deadlines
from bookings.models import (
    ClassLog,
    ClassStatus,
    Hold,
    MinimumDecision,
    Notice,
    OpenClass,
    PurchaseState,
    Refund,
    RefundReason,
    VirtualClass,
)
from bookings.notices.registry import reason_to_skip
from bookings.notices.rendering import render_mail
from tests.factories import UserFactory, VirtualClassFactory
from tests.sales.open_classes import PRICE, hold, in_days, publish, read, take

pytestmark = pytest.mark.django_db


def test_a_published_class_is_scheduled_and_hosted_by_the_teacher(mercadopago, teacher, google):
    open_class = publish(teacher)

    virtual_class = VirtualClass.objects.get()
    assert open_class.virtual_class == virtual_class
    assert virtual_class.is_scheduled
    assert virtual_class.booked_by == teacher
    assert (virtual_class.class_price, virtual_class.max_participants) == (0, 7)
    assert virtual_class.current_participants == 1
    assert virtual_class.owns_time
    assert len(google.live_events()) == 1
    assert list(ClassLog.objects.values_list("event", flat=True)) == [
        "booked",
        "published",
        "scheduled",
    ]
    assert not Hold.objects.exists()


@pytest.fixture
def rival(db):
    """Another class that takes the time right after a class was published, before its event."""

    def take_time(instance, **kwargs):
        start = instance.virtual_class.start_time
        VirtualClassFactory(scheduled=True, owns_time=True, start_time=start)

    post_save.connect(take_time, sender=OpenClass)
    yield
    post_save.disconnect(take_time, sender=OpenClass)


def test_a_time_that_is_lost_meanwhile_is_refused_at_once(rival, mercadopago, teacher, google):
    with pytest.raises(SlotTakenError):
        publish(teacher)

    published = OpenClass.objects.get().virtual_class
    assert published.status == ClassStatus.CANCELLED
    assert (google.live_events(), Hold.objects.count()) == ([], 0)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"start": in_days(-1)}, TimeOverError),
        ({"minimum": 7}, BookingError),
        ({"minimum": 0}, BookingError),
        ({"places": 0, "minimum": 0}, BookingError),
        ({"places": 1000}, BookingError),
        ({"decides_at": in_days(-1)}, BookingError),
        ({"decides_at": in_days(8)}, BookingError),
        ({"minutes": 0}, BookingError),
        ({"minutes": 2000}, BookingError),
    ],
)
def test_an_impossible_class_is_refused(teacher, google, changes, refusal):
    with pytest.raises(refusal):
        publish(teacher, **changes)

    assert not VirtualClass.objects.exists()
    assert google.events() == []


def test_the_deadline_moves_with_the_class(open_class, teacher):
    distance = open_class.virtual_class.start_time - open_class.decides_at

    moved = reschedule_class(class_id=open_class.pk, actor=teacher, start=in_days(9))

    open_class.refresh_from_db()
    assert moved.start_time - open_class.decides_at == distance


def test_fewer_places_lower_the_minimum(open_class, teacher):
    change_capacity(class_id=open_class.pk, capacity=3, actor=teacher)

    open_class.refresh_from_db()
    assert (open_class.places, open_class.minimum) == (2, 2)


def let_time_pass(minutes=0):
    """Let the deadline be now, or so many minutes ago."""
    OpenClass.objects.update(decides_at=timezone.now() - timedelta(minutes=minutes))


def join(open_class, count):
    """Let so many people join with the code."""
    for _ in range(count):
        join_class(user=UserFactory(), access_code=open_class.virtual_class.access_code)


def decision():
    return OpenClass.objects.get().decision


def test_enough_people_let_the_class_go_on(mercadopago, open_class):
    [place] = take(mercadopago, open_class)
    join(open_class, 2)
    let_time_pass()

    assert decide_open_classes() == 1
    assert decide_open_classes() == 0

    assert decision() == MinimumDecision.GOES_ON
    told = set(Notice.objects.filter(kind="goes_on").values_list("user", flat=True))
    assert place.person_id in told
    assert len(told) == 3
    assert not Refund.objects.exists()


def test_too_few_people_are_refunded_without_a_click(mercadopago, teacher, google):
    places = take(mercadopago, publish(teacher), 2)
    let_time_pass()

    assert decide_open_classes() == 1
    send_due_refunds()
    assert decide_open_classes() == 0

    assert decision() == MinimumDecision.CALLED_OFF
    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED
    assert google.live_events() == []
    reasons = Refund.objects.values_list("reason", "amount", "status")
    assert list(reasons) == [(RefundReason.BELOW_MINIMUM, PRICE, "done")] * 2
    assert {read(one).state for one in places} == {PurchaseState.ENDED}
    mail = Notice.objects.get(kind="cancelled", user=places[0].person)
    text = render_mail(mail).body
    assert "No se llegó al mínimo de personas." in text
    assert "8.000" in text


def test_people_who_are_paying_are_awaited_but_not_for_long(mercadopago, open_class):
    join(open_class, 2)
    hold(open_class)
    let_time_pass()
    assert decide_open_classes() == 0

    let_time_pass(minutes=20)

    assert decide_open_classes() == 1
    assert decision() == MinimumDecision.CALLED_OFF


def test_a_class_that_has_begun_goes_on(mercadopago, open_class):
    """The worker was down over the deadline."""
    [place] = take(mercadopago, open_class)
    let_time_pass(minutes=24 * 60)
    VirtualClass.objects.update(start_time=timezone.now() - timedelta(minutes=20))

    assert decide_open_classes() == 1

    assert decision() == MinimumDecision.GOES_ON
    assert VirtualClass.objects.get().is_scheduled
    assert read(place).state == PurchaseState.PAID
    assert not Refund.objects.exists()


def test_the_teacher_lets_it_go_on(mercadopago, open_class, teacher):
    go_on_anyway(class_id=open_class.pk, actor=teacher)
    go_on_anyway(class_id=open_class.pk, actor=teacher)
    let_time_pass()

    assert decide_open_classes() == 0
    assert decision() == MinimumDecision.GOES_ON
    assert ClassLog.objects.filter(event="goes_on").count() == 1
    assert not Notice.objects.filter(user=teacher).exists()  # she did it herself


def test_the_teacher_is_warned_once_a_day_before(mercadopago, open_class, teacher):
    assert warn_of_deadlines() == 0
    OpenClass.objects.update(
        decides_at=timezone.now() + timedelta(hours=23),
        created_at=timezone.now() - timedelta(hours=2),
    )

    warn_of_deadlines()
    warn_of_deadlines()

    [mail] = Notice.objects.filter(kind="below_minimum", user=teacher)
    assert "0 de 3" in render_mail(mail).body
    assert not reason_to_skip(mail)
    go_on_anyway(class_id=open_class.pk, actor=teacher)
    assert reason_to_skip(Notice.objects.get(pk=mail.pk))
