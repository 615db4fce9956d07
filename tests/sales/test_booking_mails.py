"""domain/teacher_alerts.py: what students book is mailed to the teacher, each or once a day."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.her_bookings import book_for, confirm_payment
from bookings.domain.sales.open_classes import decide_open_classes
from bookings.domain.sales.settling import settle
from bookings.domain.sales.transfers import choose_transfer
from bookings.models import BookingRules, ClassType, Notice, NoticeKind, Price
from bookings.notices.delivery import deliver_due
from bookings.notices.due import plan_missing_reminders
from bookings.notices.registry import reason_to_skip
from tests.booking import book_class
from tests.factories import HoldFactory, VirtualClassFactory
from tests.payments import make_payment
from tests.sales.open_classes import hold, pay, publish, store, take
from tests.sales.transfers import announce, book, keep, take_transfers

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
NOON = datetime(2026, 11, 24, 12, tzinfo=ZONE)
EIGHT = time(20)
SALES = [NoticeKind.NEW_BOOKING, NoticeKind.SEAT_SOLD]


def told():
    """Return whom and what mails about bookings tell."""
    return list(Notice.objects.filter(kind__in=SALES).values_list("user__email", "kind"))


def letters(teacher):
    mail.outbox.clear()
    deliver_due()
    mine = [one for one in mail.outbox if one.to == [teacher.email]]
    return [f"{one.subject}\n{one.body}".replace("\xa0", " ") for one in mine]


# --- Classes --------------------------------------------------------------------------------------


def test_a_class_paid_online_is_told_once_it_is_paid(mercadopago, host, teacher):
    payment = make_payment(host)
    assert told() == []

    mercadopago.pay(payment.preference_id)
    for _ in range(2):
        settle(payment.preference_id)

    assert told() == [(teacher.email, "new_booking")]
    [letter] = letters(teacher)
    assert letter.startswith("Ana reservó una clase: ")
    assert "Quién: Ana Host\n" in letter
    assert "Precio: $ 24.000\nPago: Ya está pago, por Mercado Pago.\n" in letter
    assert f"http://testserver/admin/clase/{payment.purchase.virtual_class_id}/" in letter


def test_a_class_paid_by_hand_is_told_when_it_is_booked_and_not_when_she_confirms(host, teacher):
    Price.objects.create(
        class_type="individual", minutes=60, amount=1_500_000, valid_from="2026-01-01"
    )
    booked = check_out_hold(user=host, hold_id=keep(host).pk, students_count=1)
    [letter] = letters(teacher)
    confirm_payment(class_id=booked.pk, actor=teacher)

    assert "Precio: $ 15.000\nPago: Falta pagar.\n" in letter
    assert told() == [(teacher.email, "new_booking")]


def test_a_transfer_is_told_when_it_is_chosen(mercadopago, host, student, teacher):
    take_transfers()

    book(host)
    payment = make_payment(student, days=9)
    HoldFactory(purchase=payment.purchase)
    choose_transfer(user=student, purchase=payment.purchase)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)

    assert told() == [(teacher.email, "new_booking")] * 2


def test_a_class_of_a_js_client_is_told_when_it_is_scheduled(host, teacher):
    booked = VirtualClassFactory(booked_by=host, summary="", class_price=0)

    schedule_class(preference_id=booked.preference_id, actor=host)

    assert told() == [(teacher.email, "new_booking")]


@pytest.mark.parametrize(("policy", "count"), [("paid", 1), ("auto", 0)])
def test_a_program_s_unpaid_booking_is_told_if_only_she_can_confirm_it(
    host, teacher, settings, policy, count
):
    settings.CALENDAR_TRIGGER_POLICY = policy
    start = timezone.now() + timedelta(days=5)

    terms = {"is_group_class": False, "students_count": 1, "preference_id": "of-a-program"}
    book_class(user=host, start=start, end=start + timedelta(hours=1), price=100_000, **terms)

    assert len(told()) == count


def test_what_she_books_publishes_or_marks_herself_is_not_told(mercadopago, host, teacher):
    start = timezone.now() + timedelta(days=5)
    group = {"minutes": 60, "class_type": ClassType.INDIVIDUAL, "students": 1, "price": 100_000}
    book_for(student=host, start=start, is_paid=True, by=teacher, **group)
    later = start + timedelta(hours=3)
    unpaid = book_for(student=host, start=later, is_paid=False, by=teacher, **group)
    mercadopago.pay(unpaid.purchase.payment.preference_id)
    settle(unpaid.purchase.payment.preference_id)
    publish(teacher)
    payment = make_payment(host, days=9)
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)

    assert told() == []


def test_a_booking_that_is_cancelled_before_the_mail_leaves_is_not_told(mercadopago, host, teacher):
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    cancel_class(class_id=payment.purchase.virtual_class_id, actor=host)

    assert reason_to_skip(Notice.objects.get(kind="new_booking")) == "La clase se canceló."


# --- Places ---------------------------------------------------------------------------------------


def test_a_place_is_told_once_it_is_sold(mercadopago, open_class, teacher):
    place = hold(open_class)
    assert told() == []

    pay(mercadopago, place)

    assert told() == [(teacher.email, "seat_sold")]
    [letter] = letters(teacher)
    assert f"Quién: {place.person}\nClase abierta: Conversación B1\n" in letter
    assert "Lugares tomados: 1 de 6\nPrecio: $ 8.000\nPago: Ya está pago, por" in letter


def test_a_place_that_is_left_is_told_with_its_money(mercadopago, open_class, teacher):
    [place] = take(mercadopago, open_class)
    letters(teacher)

    leave_class(class_id=open_class.pk, user=place.person)

    [letter] = letters(teacher)
    assert letter.startswith("Dejaron un lugar de tu clase abierta: ")
    assert "Lugares tomados: 0 de 6\nSe devuelve por Mercado Pago: $ 8.000\n" in letter


# --- Once a day -----------------------------------------------------------------------------------


@pytest.fixture
def daily(db):
    BookingRules(daily_mail_at=EIGHT).save()


@pytest.fixture
def clock():
    with time_machine.travel(NOON, tick=False) as clock:
        yield clock


def test_a_day_of_bookings_is_one_mail_at_her_time(clock, daily, host, student, teacher):
    booked = VirtualClassFactory(booked_by=host, summary="", class_price=0)
    schedule_class(preference_id=booked.preference_id)
    open_class = store(teacher)
    hold(open_class, student)
    assert letters(teacher) == []

    clock.move_to(NOON + timedelta(hours=7, minutes=59))
    assert letters(teacher) == []
    clock.move_to(NOON + timedelta(hours=8, minutes=1))
    [letter] = letters(teacher)

    assert letter.startswith("Tus reservas nuevas\n")
    assert "Ana Host: miércoles 25 de noviembre, de " in letter
    assert "Precio" not in letter
    assert f"Mirá la clase: http://testserver/admin/clase/{booked.pk}/\n" in letter
    assert "Bruno Student: Conversación B1 · " in letter
    assert "$ 8.000 · Falta pagar.\n" in letter
    clock.move_to(NOON + timedelta(days=3))
    assert [one for one in letters(teacher) if "reservas nuevas" in one] == []


# --- The host of an open class is the teacher -----------------------------------------------------


def test_the_teacher_gets_no_mail_of_a_student_about_a_class_that_she_publishes(
    mercadopago, teacher
):
    open_class = publish(teacher, minimum=1)
    take(mercadopago, open_class)
    with time_machine.travel(open_class.virtual_class.start_time - timedelta(hours=24, minutes=-1)):
        plan_missing_reminders()
        decide_open_classes()

    kinds = Notice.objects.filter(user=teacher).values_list("kind", flat=True)
    assert set(kinds) == {"seat_sold", "minimum_decided"}


def test_an_announced_transfer_is_told_by_its_own_mail_only(mercadopago, host, teacher):
    take_transfers()
    booked = book(host)
    Notice.objects.all().delete()

    announce(booked)

    assert told() == []
