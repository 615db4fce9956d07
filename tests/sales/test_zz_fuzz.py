from datetime import timedelta
from itertools import permutations, product
import pytest, time_machine
from django.utils import timezone
from bookings.domain.checkout.settling import settle, confirm_payment
from bookings.domain.checkout.transfers import announce_transfer, confirm_transfer, note_return
from bookings.domain.exceptions import BookingError
from bookings.domain.lifecycle.cancelling import cancel_class
from bookings.domain.money.balances import find_balance
from bookings.domain.money.charges import accept_second_payment
from bookings.domain.money.takings import list_monthly_takings
from bookings.domain.open_classes.leaving import leave_place
from bookings.domain.open_classes.seats import pay_seat_by_hand
from bookings.domain.lifecycle.paying import mark_paid
from bookings.models import *
from tests.factories import UserFactory
from tests.payments import make_payment, PRICE as CPRICE
from tests.sales.open_classes import hold, publish
from tests.sales.transfers import take_transfers

ORDERS = set()
for n in (1, 2, 3):
    for perm in permutations("MTO", n):
        for end in ("", "L", "E", "C", "A"):
            if not end: ORDERS.add("".join(perm)); continue
            for i in range(1, n + 1):
                ORDERS.add("".join(perm[:i]) + end + "".join(perm[i:]))
                if end == "A":
                    for fin in "LEC":
                        ORDERS.add("".join(perm[:i]) + end + "".join(perm[i:]) + fin)
ORDERS = sorted(o for o in ORDERS if "A" not in o or "O" in o[: o.index("A")])

def problems_of(order, user, price, came, gone, keep, payment, month0):
    payment.refresh_from_db()
    bal = find_balance(user)
    back = sum(r.amount for r in Refund.objects.filter(charge__payment=payment).exclude(status="failed"))
    tr = [t for t in BankTransfer.objects.filter(user=user)]
    returned_t = sum(t.amount for t in tr if t.state == TransferState.RETURNED)
    shown = bal.hand_to_return + (price if payment.review == ReviewReason.PAID_TWICE else 0)
    months = list_monthly_takings()
    total = sum(m.received + m.by_hand for m in months) - month0
    out = []
    if total != came * price: out.append(f"month {total/price} came {came}")
    if bal.paid != came * price: out.append(f"balance {bal.paid/price} came {came}")
    kept = came * price - back - shown
    if kept != keep * price: out.append(f"kept {kept/price} should {keep} (back {back/price} hand {bal.hand_to_return/price} review {payment.review})")
    return out

@pytest.mark.parametrize("order", ORDERS)
def test_seat(order, teacher, google, mercadopago):
    take_transfers()
    user = UserFactory()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        seat = hold(publish(teacher, minimum=1), user)
        price = seat.price
        tr = announce_transfer(user=user, about=seat, operation_number="12345678") if "T" in order else None
        came = 0; gone = ""; 
        for step in order:
            clock.shift(timedelta(minutes=1))
            if step == "M":
                before = Seat.objects.get(pk=seat.pk).paid_at
                try: pay_seat_by_hand(seat_id=seat.pk, actor=teacher)
                except BookingError: pass
                after = Seat.objects.get(pk=seat.pk).paid_at
                came += before is None and after is not None
            elif step == "T":
                confirm_transfer(transfer_id=tr.pk, actor=teacher); came += 1
            elif step == "O":
                mercadopago.pay(seat.payment.preference_id); settle(seat.payment.preference_id); came += 1
            elif step == "A":
                if 'M' in order[:order.index('A')] and order[0] == "M": came -= 1
                accept_second_payment(seat.payment_id); settle(seat.payment.preference_id)
            elif step == "L":
                clock.move_to(seat.open_class.virtual_class.start_time - timedelta(minutes=5))
                leave_place(class_id=seat.open_class_id, user=user); gone = "L"
            elif step == "E":
                leave_place(class_id=seat.open_class_id, user=user); gone = "E"
            elif step == "C":
                cancel_class(class_id=seat.open_class_id, actor=teacher); gone = "C"
        [settle(seat.payment.preference_id) for _ in range(3)]
        keep = 0 if gone in ("E", "C") else 1
        bad = problems_of(order, user, price, came, gone, keep, seat.payment, 0)
        for t in BankTransfer.objects.filter(state=TransferState.TO_RETURN): note_return(transfer_id=t.pk, actor=teacher)
        bal = find_balance(user)
        back = sum(r.amount for r in Refund.objects.all())
        seat.payment.refresh_from_db()
        net = sum(m.net for m in list_monthly_takings())
        cash_owed = bal.hand_to_return + (price if seat.payment.review == ReviewReason.PAID_TWICE else 0)
        if net - cash_owed != keep*price: bad.append(f"after return net {net/price} owed {cash_owed/price} keep {keep}")
        assert not bad, bad

@pytest.mark.parametrize("order", [o for o in ORDERS if "L" not in o])
def test_class(order, teacher, google, mercadopago):
    take_transfers()
    user = UserFactory()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        payment = make_payment(user)
        one = payment.virtual_class
        price = payment.amount
        tr = announce_transfer(user=user, about=one, operation_number="12345678") if "T" in order else None
        came = 0; gone = ""
        for step in order:
            clock.shift(timedelta(minutes=1))
            if step == "M":
                before = VirtualClass.objects.get(pk=one.pk).paid_at
                try: confirm_payment(class_id=one.pk, actor=teacher)
                except BookingError: pass
                came += before is None and VirtualClass.objects.get(pk=one.pk).paid_at is not None and not payment.approved_at
            elif step == "T":
                confirm_transfer(transfer_id=tr.pk, actor=teacher); came += 1
            elif step == "O":
                mercadopago.pay(payment.preference_id); settle(payment.preference_id); came += 1
            elif step == "A":
                if 'M' in order[:order.index('A')] and order[0] == "M": came -= 1
                accept_second_payment(payment.pk); settle(payment.preference_id)
            elif step in "EC":
                cancel_class(class_id=one.pk, actor=teacher if step == "C" else user); gone = step
            payment.refresh_from_db()
        [settle(payment.preference_id) for _ in range(3)]
        keep = 0 if gone else 1
        bad = problems_of(order, user, price, came, gone, keep, payment, 0)
        for t in BankTransfer.objects.filter(state=TransferState.TO_RETURN): note_return(transfer_id=t.pk, actor=teacher)
        bal = find_balance(user); payment.refresh_from_db()
        net = sum(m.net for m in list_monthly_takings())
        cash_owed = bal.hand_to_return + (price if payment.review == ReviewReason.PAID_TWICE else 0)
        if net - cash_owed != keep*price: bad.append(f"after return net {net/price} owed {cash_owed/price} keep {keep}")
        assert not bad, bad
