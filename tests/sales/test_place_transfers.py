"""A place of an open class, paid by transfer."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.exceptions import (
    AlreadyPaidError,
    BookingError,
    ClassNotFoundError,
    HoldExpiredError,
    TransferNotOfferedError,
    TransferWaitsError,
)
from bookings.domain.money.charges import accept_second_payment
from bookings.domain.money.takings import find_balance, list_monthly_takings
from bookings.domain.people.personal_data import erase_person
from bookings.domain.sales.buying import pay_place_by_hand, release_place
from bookings.domain.sales.settling import look_up
from bookings.domain.sales.transfers import (
    announce_transfer,
    choose_transfer,
    confirm_transfer,
    refuse_transfer,
)
from bookings.models import (
    BankTransfer,
    Notice,
    NoticeKind,
    OpenClass,
    Payment,
    Purchase,
    PurchaseState,
    Refund,
    ReviewReason,
    TransferState,
)
from bookings.notices.registry import reason_to_skip
from bookings.notices.rendering import render_mail
from tests.factories import UserFactory
from tests.pages.texts import text_of
from tests.sales.open_classes import hold, in_days, pay, store
from tests.sales.transfers import ALIAS, is_given_back, send_back, take_transfers

DAY = timedelta(days=1)


@pytest.fixture
def place(student, teacher, google):
    """Bruno's place, still to be paid, in a class that begins in some days."""
    take_transfers()
    return hold(store(teacher, places=1, minimum=1), student)


def announce(place, number="12345678"):
    return announce_transfer(user=place.person, purchase=place, operation_number=number)


def choose(place):
    choose_transfer(user=place.person, purchase=place)


def kept_for(place):
    return Purchase.objects.get(pk=place.pk).kept_until - timezone.now()


def state_of(place):
    return Purchase.objects.places().get(pk=place.pk).state


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as clock:
        yield clock


def test_a_chosen_transfer_keeps_the_place_once(clock, place):
    choose(place)
    assert kept_for(place) == DAY

    clock.shift(timedelta(hours=20))
    choose(place)
    assert kept_for(place) == timedelta(hours=4)
    announce(place)
    assert kept_for(place) == DAY


def test_no_place_is_kept_past_the_decision_about_its_class(clock, student, teacher, google):
    take_transfers()
    decides_at = timezone.now() + timedelta(hours=5)
    open_class = store(teacher, decides_at=decides_at)
    place = hold(open_class, student)

    choose(place)
    assert Purchase.objects.get(pk=place.pk).kept_until == decides_at

    clock.shift(timedelta(hours=5) - timedelta(minutes=5))
    late = hold(open_class)
    with pytest.raises(TransferNotOfferedError, match="Falta poco"):
        choose(late)


def test_no_place_is_kept_past_the_minimum_notice(clock, student, teacher, google):
    take_transfers()
    start = in_days(1)
    place = hold(
        store(teacher, start=start, minimum=1, decides_at=start - timedelta(hours=1)), student
    )

    choose(place)

    assert Purchase.objects.get(pk=place.pk).kept_until == start - timedelta(hours=12)


@pytest.mark.parametrize(("hours", "kept"), [(30, 6), (13, 0), (24 * 9, 24)])
def test_a_class_that_moves_takes_the_end_of_the_place_along(clock, place, teacher, hours, kept):
    """The deadline stays a day before the class."""
    choose(place)
    start = place.virtual_class.start_time
    OpenClass.objects.update(decides_at=start - DAY)

    start = timezone.now() + timedelta(hours=hours)
    reschedule_class(class_id=place.virtual_class_id, actor=teacher, start=start)

    assert kept_for(place) == timedelta(hours=kept)
    mail = Notice.objects.get(kind=NoticeKind.SEAT_TRANSFER_OVER)
    assert mail.due_at == Purchase.objects.get().kept_until


def test_a_place_that_lapsed_is_not_kept_again(clock, place):
    clock.shift(timedelta(hours=1))

    with pytest.raises(HoldExpiredError, match="lugar"):
        choose(place)


@pytest.mark.parametrize("is_announced", [False, True])
def test_nobody_keeps_a_place_for_ever(clock, student, teacher, google, is_announced):
    """Not by choosing a transfer again and again, nor by giving the place up and taking it anew,
    nor by announcing a transfer that never comes.
    """
    take_transfers()
    open_class = store(teacher, start=in_days(20), decides_at=in_days(19))
    for _ in range(2):
        place = hold(open_class, student)
        choose(place)
        if is_announced:
            announce(place)
        clock.shift(timedelta(hours=23))
        release_place(user=student, purchase_id=place.pk)
        clock.shift(timedelta(hours=1))

    with pytest.raises(TransferNotOfferedError, match="Ya te guardamos"):
        choose(hold(open_class, student))
    clock.shift(timedelta(days=7))
    choose(hold(open_class, student))


def test_a_stranger_keeps_one_place_at_once(place, teacher):
    choose(place)

    with pytest.raises(TransferNotOfferedError, match="Ya te guardamos"):
        choose(hold(store(teacher, start=in_days(9), decides_at=in_days(8)), place.person))


def test_the_student_hears_that_the_place_is_free_unless_it_was_paid_or_given_up(clock, place):
    choose(place)
    mail = Notice.objects.get(kind=NoticeKind.SEAT_TRANSFER_OVER)

    assert (mail.user, mail.due_at) == (place.person, Purchase.objects.get().kept_until)
    assert reason_to_skip(mail)
    clock.shift(DAY)
    now = timezone.now()
    assert not reason_to_skip(mail)
    assert reverse("bookings:place", args=[place.pk]) in render_mail(mail).body

    for state in (PurchaseState.PAID, PurchaseState.LAPSED, PurchaseState.ENDED):
        Purchase.objects.update(state=state, paid_at=now if state == PurchaseState.PAID else None)
        assert reason_to_skip(mail)


def test_the_button_keeps_the_place_after_its_preference(
    clock, student, teacher, google, mercadopago, sign_in
):
    take_transfers()
    place = hold(store(teacher), student)
    page = reverse("bookings:place", args=[place.pk])
    client = sign_in(student)
    assert "Guardame el lugar" in text_of(client.get(page))

    address = reverse("bookings:place_transfer", args=[place.pk])
    answer = text_of(client.post(address, {"esperar": "1"}, follow=True))
    assert "Te guardamos el lugar para que transfieras" in answer
    assert "Guardame el lugar" not in answer

    clock.shift(timedelta(hours=2))
    shown = text_of(client.get(page))
    assert "Pagar por transferencia" in shown
    assert "ya no se guarda" not in shown


def test_an_announced_transfer_keeps_the_place(place, teacher):
    done = announce(place)

    assert (done.amount, done.purchase) == (place.price, place)
    assert Purchase.objects.get().kept_until > timezone.now() + timedelta(hours=20)
    assert Notice.objects.filter(kind=NoticeKind.TRANSFER_ANNOUNCED, user=teacher).exists()


def test_a_confirmed_transfer_takes_the_place_and_counts_once(place, teacher):
    done = confirm_transfer(transfer_id=announce(place).pk, actor=teacher)

    assert (done.state, state_of(place)) == (TransferState.CONFIRMED, PurchaseState.PAID)
    assert [one.by_hand for one in list_monthly_takings()] == [place.price]


def test_without_a_place_it_is_to_be_returned(place, teacher):
    transfer = announce(place)
    Purchase.objects.places().update(kept_until=timezone.now())
    other = hold(place.virtual_class.open_class, UserFactory())
    pay_place_by_hand(purchase_id=other.pk, actor=teacher)

    done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    assert is_given_back(done)
    assert state_of(place) == PurchaseState.KEPT


def test_calling_the_class_off_leaves_it_to_be_returned(place, teacher):
    transfer = announce(place)
    confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    cancel_class(class_id=place.virtual_class_id, actor=teacher)

    assert is_given_back(transfer)


def test_announce_refuses_a_place_that_is_no_more_to_be_paid(place, teacher, stranger):
    with pytest.raises(ClassNotFoundError):
        announce_transfer(user=stranger, purchase=place, operation_number="12345678")
    release_place(user=place.person, purchase_id=place.pk)
    with pytest.raises(BookingError):
        announce(place)
    Purchase.objects.update(state=PurchaseState.PAID, paid_at=timezone.now())
    with pytest.raises(AlreadyPaidError):
        announce(place)

    assert not BankTransfer.objects.exists()


def test_the_page_of_the_place_shows_the_account_and_takes_the_number(place, student, sign_in):
    client, page = sign_in(student), reverse("bookings:place", args=[place.pk])
    address = reverse("bookings:place_transfer", args=[place.pk])

    assert ALIAS in text_of(client.get(page))
    offer = text_of(client.get(address))
    assert "Guardame el lugar" in offer
    assert "Guardame el horario" not in offer
    assert "Revisá estos datos" in text_of(client.post(address, {"operation_number": "1"}))
    answer = client.post(address, {"operation_number": "1234 5678"}, follow=True)

    assert "Falta que la profe la confirme" in text_of(answer)
    assert BankTransfer.objects.get().purchase == place


def test_the_panel_confirms_it(place, teacher, sign_in):
    transfer = announce(place)
    panel = sign_in(teacher)

    assert "12345678" in text_of(panel.get("/admin/transferencias/"))
    sheet = panel.get(reverse("admin:class_sheet", args=[place.virtual_class_id]))
    assert "operación 12345678" in text_of(sheet)
    refuse_transfer(transfer_id=transfer.pk, actor=teacher)
    assert "no llegó" in text_of(panel.get("/admin/transferencias/")).lower()


def test_the_mail_of_a_refused_one_leads_back_to_the_place(place, teacher):
    refuse_transfer(transfer_id=announce(place).pk, actor=teacher)
    notice = Notice.objects.get(kind=NoticeKind.TRANSFER_REFUSED)

    assert reverse("bookings:place", args=[place.pk]) in render_mail(notice).body


@pytest.fixture
def twice(student, teacher, mercadopago):
    """Bruno's place, paid by transfer and online."""
    take_transfers()
    place = hold(store(teacher, minimum=1), student)
    confirm_transfer(transfer_id=announce(place).pk, actor=teacher)
    return pay(mercadopago, place)


def test_a_place_paid_twice_waits_for_the_teacher(twice):
    payment = Payment.objects.get()
    assert (payment.review, payment.approved_at) == (ReviewReason.PAID_TWICE, None)
    assert not Refund.objects.exists()

    accept_second_payment(payment.pk)

    assert is_given_back(BankTransfer.objects.get())
    assert Payment.objects.get().review == ReviewReason.NONE


def test_calling_off_a_class_settles_a_place_paid_twice(twice, teacher):
    cancel_class(class_id=twice.virtual_class_id, actor=teacher, fresh_sign_in=True)

    assert Refund.objects.get(way="online").amount == twice.price
    assert is_given_back(BankTransfer.objects.get())


def test_erasing_waits_for_the_transfer_of_a_place(place):
    announce(place)

    with pytest.raises(TransferWaitsError):
        erase_person(user=place.person, by=place.person)

    place.refresh_from_db()
    assert place.state == PurchaseState.KEPT


def test_online_money_that_is_recorded_first_pays_the_place(mercadopago, teacher, student):
    """The transfer is confirmed between recording a charge and settling its place."""
    take_transfers()
    place = hold(store(teacher), student)
    transfer = announce(place)
    mercadopago.pay(place.payment.preference_id)
    look_up(place.payment)

    done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    assert is_given_back(done)
    assert state_of(place) == PurchaseState.PAID


def test_a_second_payment_by_transfer_goes_back_though_the_person_left_late(clock, place, teacher):
    """The teacher's mark paid the place, and that money stays; the transfer came besides."""
    transfer = announce(place)
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)
    clock.shift(timedelta(minutes=1))
    done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)
    clock.move_to(place.virtual_class.start_time - timedelta(minutes=5))
    leave_class(class_id=place.virtual_class_id, user=place.person)

    assert is_given_back(done)
    assert find_balance(place.person).to_return == place.price

    send_back(transfer, teacher)
    months = list_monthly_takings()  # two, if the class is in the next
    assert sum(month.by_hand for month in months) == 2 * place.price
    assert sum(month.returned for month in months) == place.price


def test_a_transfer_that_paid_a_place_stays_when_the_person_leaves_late(clock, place, teacher):
    confirm_transfer(transfer_id=announce(place).pk, actor=teacher)
    clock.move_to(place.virtual_class.start_time - timedelta(minutes=5))
    leave_class(class_id=place.virtual_class_id, user=place.person)

    assert not Refund.objects.exists()
    assert find_balance(place.person).to_return == 0
