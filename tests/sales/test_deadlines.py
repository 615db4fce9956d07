"""domain/sales/open_classes.py: a class with too few people is called off by itself."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.exceptions import ClassCancelledError
from bookings.domain.money.refunds import send_due_refunds
from bookings.domain.places.joining import join_class
from bookings.domain.sales.open_classes import (
    decide_open_classes,
    go_on_anyway,
    warn_of_deadlines,
)
from bookings.models import (
    ClassLog,
    ClassStatus,
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
from tests.factories import UserFactory
from tests.sales.open_classes import PRICE, hold, publish, read, store, take
from tests.standins import Fault

pytestmark = pytest.mark.django_db


def let_time_pass(minutes=0):
    """Let the deadline be now, or so many minutes ago."""
    OpenClass.objects.update(decides_at=timezone.now() - timedelta(minutes=minutes))


def join(open_class, count):
    """Let so many people join with the code."""
    for _ in range(count):
        join_class(user=UserFactory(), access_code=open_class.virtual_class.access_code)


def decision():
    return OpenClass.objects.get().decision


def test_nothing_is_decided_before_the_deadline(open_class):
    assert decide_open_classes() == 0
    assert decision() == MinimumDecision.WAITING


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


def test_refunds_leave_once_the_provider_is_back(mercadopago, open_class):
    take(mercadopago, open_class)
    let_time_pass()
    mercadopago.fault("refunds.create", *[Fault.status(500)] * 9)

    decide_open_classes()
    send_due_refunds()
    assert len(mercadopago.refunds) == 0
    mercadopago.heal()
    Refund.objects.update(next_attempt_at=timezone.now())
    send_due_refunds()
    send_due_refunds()

    assert len(mercadopago.refunds) == 1


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


def test_a_class_that_was_called_off_does_not_go_on(mercadopago, open_class, teacher):
    let_time_pass()
    decide_open_classes()

    with pytest.raises(ClassCancelledError):
        go_on_anyway(class_id=open_class.pk, actor=teacher)


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


def test_no_warning_for_a_class_with_enough_people(mercadopago, teacher):
    join(store(teacher, minimum=1), 1)
    OpenClass.objects.update(
        decides_at=timezone.now() + timedelta(hours=23),
        created_at=timezone.now() - timedelta(hours=2),
    )

    assert warn_of_deadlines() == 0
