"""A paid class goes before the unpaid holds of others, whichever came first."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.exceptions import HoldExpiredError, SlotTakenError
from bookings.domain.sales.checkout import check_out_hold, request_preference
from bookings.domain.sales.holds import keep_time
from bookings.models import Hold, Notice, NoticeKind, Price
from bookings.work.sweeps import sweep
from tests.booking import book_class
from tests.factories import HoldFactory, VirtualClassFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("teacher", "google")]


SOON = timezone.now() + timedelta(minutes=15)


@pytest.fixture
def paid(host):
    """A class that is paid and not in the calendar yet."""
    return VirtualClassFactory(booked_by=host, paid_at=timezone.now())


def hold_of(user, over, **changes):
    return keep_time(
        HoldFactory.build(
            user=user,
            start_time=over.start_time + timedelta(minutes=30),
            end_time=over.end_time + timedelta(minutes=30),
            class_type="individual",
            **{"expires_at": timezone.now() + timedelta(minutes=15), **changes},
        )
    )


def mails():
    return list(Notice.objects.filter(kind=NoticeKind.HOLD_LOST).order_by("created_at"))


def test_a_paid_class_ends_the_hold_of_another_person(paid, stranger, mailoutbox):
    hold = hold_of(stranger, paid)

    assert schedule_class(preference_id=paid.preference_id).is_scheduled

    assert not Hold.objects.exists()
    [mail] = mails()
    assert (mail.user, mail.virtual_class) == (stranger, None)
    with pytest.raises(HoldExpiredError):
        check_out_hold(user=stranger, hold_id=hold.pk, students_count=1)
    sweep()
    [sent] = [one for one in mailoutbox if one.to == [stranger.email]]
    assert sent.subject == "Se ocupó el horario que te guardábamos"
    assert "Elegí otro horario" in sent.body


def test_a_person_s_own_paid_class_ends_their_hold_without_a_mail(paid, host):
    unpaid = VirtualClassFactory(booked_by=host, kept_until=SOON)
    hold_of(host, paid, purchase=unpaid.purchase, expires_at=None)

    assert schedule_class(preference_id=paid.preference_id).is_scheduled

    assert not Hold.objects.exists()
    assert mails() == []


def test_an_unpaid_class_still_respects_the_hold(host, stranger):
    unpaid = VirtualClassFactory(booked_by=host)
    hold_of(stranger, unpaid)

    with pytest.raises(SlotTakenError):
        schedule_class(preference_id=unpaid.preference_id)
    assert Hold.objects.count() == 1
    assert mails() == []


def test_the_hold_of_a_paid_class_stays(paid, stranger):
    other = VirtualClassFactory(booked_by=stranger, paid_at=timezone.now(), kept_until=SOON)
    hold_of(stranger, paid, purchase=other.purchase, expires_at=None)

    with pytest.raises(SlotTakenError):
        schedule_class(preference_id=paid.preference_id)
    assert Hold.objects.get().purchase.virtual_class == other


# --- A preference keeps its time ------------------------------------------------------------------


@pytest.fixture
def prices(mercadopago):
    Price.objects.create(
        class_type="individual",
        minutes=60,
        students_up_to=1,
        amount=1_500_000,
        valid_from=timezone.localdate() - timedelta(days=1),
    )


def wish(user, **changes):
    start = (timezone.now() + timedelta(days=7)).replace(minute=0, second=0, microsecond=0)
    values = {
        "start": start,
        "end": start + timedelta(hours=1),
        "is_group_class": False,
        "students_count": 1,
    }
    return request_preference(user=user, **values | changes)


def test_a_preference_keeps_its_time_until_it_expires(prices, host, stranger):
    payment = wish(host)

    hold = Hold.objects.get()
    assert (hold.purchase.payment, hold.user, hold.ends_at) == (payment, host, payment.expires_at)
    with pytest.raises(SlotTakenError):
        wish(stranger)


def test_asking_again_moves_the_hold_to_the_new_preference(prices, host):
    wish(host)

    second = wish(host)

    assert Hold.objects.get().purchase.payment == second


def test_the_class_takes_the_hold_of_its_preference_over(prices, host):
    payment = wish(host)
    hold = Hold.objects.get()

    virtual_class = book_class(
        user=host,
        start=hold.start_time,
        end=hold.end_time,
        is_group_class=False,
        students_count=1,
        price=payment.amount,
        preference_id=payment.preference_id,
    )

    assert Hold.objects.get().purchase.virtual_class == virtual_class
