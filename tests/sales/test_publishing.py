"""domain/sales/open_classes.py: the teacher publishes an open class."""

from datetime import timedelta

import pytest
import time_machine
from django.db.models.signals import post_save
from django.utils import timezone

from bookings.domain.classes.changing import change_capacity, reschedule_class
from bookings.domain.classes.finishing import finish_requested_schedulings
from bookings.domain.exceptions import BookingError, SlotTakenError, TimeOverError
from bookings.models import ClassLog, ClassStatus, Hold, NoticeKind, OpenClass, VirtualClass
from tests.factories import HoldFactory, VirtualClassFactory
from tests.sales.open_classes import draft, in_days, publish
from tests.standins import Fault

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


def test_the_sweep_schedules_a_class_that_the_calendar_missed(mercadopago, teacher, google):
    google.fault("events.insert", *[Fault.status(503)] * 9)
    open_class = publish(teacher)
    assert not open_class.virtual_class.is_scheduled

    google.heal()
    with time_machine.travel(timezone.now() + timedelta(minutes=10)):
        finish_requested_schedulings()

    assert VirtualClass.objects.get().is_scheduled


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


def test_the_teacher_reads_that_the_time_is_taken(rival, mercadopago, teacher, sign_in):
    form = {
        "title": "Conversación",
        "places": 6,
        "minimum": 3,
        "place_price": "8.000",
        "day": f"{timezone.localdate() + timedelta(days=7)}",
        "clock": "15:00",
        "hours_before": 24,
        "minutes": 60,
    }

    page = sign_in(teacher).post("/admin/abiertas/nueva/", form)

    assert "A esa hora está la clase de" in page.content.decode()
    assert VirtualClass.objects.filter(status=ClassStatus.PENDING).count() == 0


def test_the_sweep_ends_a_class_that_lost_its_time_while_the_calendar_was_down(
    mercadopago, teacher, google
):
    google.fault("events.insert", *[Fault.status(503)] * 9)
    open_class = publish(teacher)
    VirtualClassFactory(
        scheduled=True, owns_time=True, start_time=open_class.virtual_class.start_time
    )

    google.heal()
    with time_machine.travel(timezone.now() + timedelta(minutes=10)):
        finish_requested_schedulings()

    ended = VirtualClass.objects.get(pk=open_class.pk)
    assert ended.status == ClassStatus.CANCELLED
    assert ended.notices.get(kind=NoticeKind.OPEN_CLASS_LOST).user == teacher


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


def test_a_taken_time_is_refused(teacher, google, host, student):
    VirtualClassFactory(scheduled=True, start_time=draft().start, booked_by=host)

    with pytest.raises(SlotTakenError):
        publish(teacher)

    assert not OpenClass.objects.exists()


def test_a_held_time_is_refused(teacher, google, host):
    start = draft().start
    HoldFactory(
        user=host,
        start_time=start,
        end_time=start + timedelta(hours=1),
        class_type="individual",
        expires_at=timezone.now() + timedelta(minutes=9),
    )

    with pytest.raises(SlotTakenError):
        publish(teacher)

    assert not VirtualClass.objects.exists()


def test_the_deadline_moves_with_the_class(open_class, teacher):
    distance = open_class.virtual_class.start_time - open_class.decides_at

    moved = reschedule_class(class_id=open_class.pk, actor=teacher, start=in_days(9))

    open_class.refresh_from_db()
    assert moved.start_time - open_class.decides_at == distance


def test_the_deadline_never_moves_into_the_past(open_class, teacher):
    OpenClass.objects.update(decides_at=timezone.now() + timedelta(hours=2))
    before = timezone.now()

    reschedule_class(class_id=open_class.pk, actor=teacher, start=in_days(2))

    open_class.refresh_from_db()
    assert before <= open_class.decides_at <= timezone.now()


def test_fewer_places_lower_the_minimum(open_class, teacher):
    change_capacity(class_id=open_class.pk, capacity=3, actor=teacher)

    open_class.refresh_from_db()
    assert (open_class.places, open_class.minimum) == (2, 2)
