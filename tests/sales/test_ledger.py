"""Every peso of a month, of every kind of sale, is in the month's sums and in one balance."""

import random
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import count

import time_machine
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.money.charges import accept_second_payment
from bookings.domain.money.money_back import note_return
from bookings.domain.money.refunds import send_due_refunds, send_refunds_of
from bookings.domain.money.takings import find_balance, list_entries_of, list_monthly_takings
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.holds import PayWay
from bookings.domain.sales.settling import settle
from bookings.domain.sales.transfers import announce_transfer, confirm_transfer, refuse_transfer
from bookings.models import EntryKind, Payment, Price, Purchase, RefundReason
from tests.discount_codes import DiscountCodeFactory, less
from tests.factories import HoldFactory, PlaceFactory, UserFactory
from tests.payments import ask_for_part, call_off, make_payment
from tests.sales.open_classes import hold as hold_place
from tests.sales.open_classes import in_days, store
from tests.sales.transfers import send_back, take_transfers

PERCENT = 25


class Month:
    """A month of sales, and the ledger that is kept of what really moved."""

    def __init__(self, mercadopago, teacher, seed):
        self.provider, self.teacher = mercadopago, teacher
        self.dice = random.Random(seed)
        self.days = count(9)
        self.ledger = defaultdict(Counter)

    def write(self, person, **amounts):
        month = timezone.localdate().replace(day=1)
        for kind, amount in amounts.items():
            self.ledger[month][kind] += amount
            self.ledger[person.pk][kind] += amount

    def price(self):
        return self.dice.randrange(1_000, 50_000) * 100

    # --- What is sold -----------------------------------------------------------------------------

    def ask(self, price=None):
        return make_payment(UserFactory(), days=next(self.days), price=price or self.price())

    def pay(self, payment, pesos=None, **how):
        """Pay online; return the centavos."""
        paid = self.provider.pay(payment.preference_id, amount=pesos, **how)
        settle(payment.preference_id)
        return round(paid["transaction_amount"] * 100)

    def sell(self):
        payment = self.ask()
        self.write(payment.purchase.person, received=self.pay(payment))
        return Payment.objects.get(pk=payment.pk)

    def book(self, way=PayWay.ONLINE, **options):
        start = in_days(next(self.days))
        hold = HoldFactory(user=UserFactory(), start_time=start)
        return check_out_hold(user=hold.user, hold_id=hold.pk, students_count=1, way=way, **options)

    def send(self, purchase):
        """Announce a transfer."""
        number = str(self.dice.randrange(10**8, 10**9))
        return announce_transfer(user=purchase.person, purchase=purchase, operation_number=number)

    def receive(self, transfer):
        confirm_transfer(transfer_id=transfer.pk, actor=self.teacher)
        self.write(transfer.purchase.person, by_hand=transfer.amount)
        return transfer

    def refund(self, payment, amount):
        charge = payment.charges.order_by("id").last()
        left = charge.amount - charge.refunded_amount
        ask_for_part(charge, amount, self.teacher, left=left)
        send_refunds_of(payment)
        settle(payment.preference_id)
        self.write(payment.purchase.person, returned=amount)

    # --- Ways a sale can go -----------------------------------------------------------------------

    def online(self):
        self.sell()

    def with_a_code(self):
        listed = Price.objects.get().amount
        code = DiscountCodeFactory(percent=PERCENT)
        booked = self.book(typed_code=code.code)
        paid = self.pay(booked.purchase.payment)
        assert paid == listed * (100 - PERCENT) // 100
        self.write(booked.booked_by, received=paid)

    def for_nothing_with_a_code(self):
        self.book(typed_code=DiscountCodeFactory(percent=100).code)

    def with_a_code_by_hand(self):
        code = DiscountCodeFactory(amount=100_000)
        booked = self.book(way=PayWay.TRANSFER, typed_code=code.code)
        confirm_payment(class_id=booked.pk, actor=self.teacher)
        self.write(booked.booked_by, by_hand=Price.objects.get().amount - 100_000)

    def refunded_in_part(self):
        self.refund(self.sell(), 30_000)

    def cancelled(self):
        payment = self.sell()
        call_off(payment, self.teacher)
        self.write(payment.purchase.person, returned=payment.amount)

    def with_a_code_and_cancelled(self):
        booked = self.book(typed_code=DiscountCodeFactory(percent=PERCENT).code)
        paid = self.pay(booked.purchase.payment)
        cancel_class(class_id=booked.pk, actor=self.teacher, fresh_sign_in=True)
        self.write(booked.booked_by, received=paid, returned=paid)

    def charged_back(self):
        payment = self.sell()
        self.provider.settle(int(payment.charges.get().charge_id), "charged_back")
        settle(payment.preference_id)
        self.write(payment.purchase.person, charged_back=payment.amount)

    def refunded_in_part_and_charged_back(self):
        payment = self.sell()
        self.refund(payment, 30_000)
        self.provider.settle(int(payment.charges.get().charge_id), "charged_back")
        settle(payment.preference_id)
        self.write(payment.purchase.person, charged_back=payment.amount - 30_000)

    def with_a_surplus_charge(self):
        payment = self.sell()
        surplus = self.pay(payment)
        self.write(payment.purchase.person, received=surplus, returned=surplus)

    def with_a_short_charge(self):
        payment = self.ask()
        self.write(payment.purchase.person, received=self.pay(payment, pesos=payment.amount / 200))

    def with_a_short_charge_and_the_rest_by_hand(self):
        payment = self.ask()
        short = self.pay(payment, pesos=payment.amount // 300)
        confirm_payment(class_id=payment.purchase.virtual_class_id, actor=self.teacher)
        self.write(payment.purchase.person, received=short, by_hand=payment.amount - short)

    def with_pending_and_rejected_charges(self):
        payment = self.ask()
        self.pay(payment, status="rejected")
        self.pay(payment, status="pending", method="ticket")

    def in_dollars(self):
        self.pay(self.ask(), currency="USD")

    def by_hand(self):
        payment = self.ask()
        confirm_payment(class_id=payment.purchase.virtual_class_id, actor=self.teacher)
        self.write(payment.purchase.person, by_hand=payment.amount)
        return payment

    def by_hand_and_cancelled(self):
        payment = self.by_hand()
        call_off(payment, self.teacher)

    def by_hand_and_online(self):
        payment = self.by_hand()
        self.write(payment.purchase.person, received=self.pay(payment))

    def by_hand_and_online_which_stays(self):
        payment = self.by_hand()
        self.write(payment.purchase.person, received=self.pay(payment))
        accept_second_payment(payment.pk)
        refund = payment.purchase.refunds.get()
        note_return(refund_id=refund.pk, actor=self.teacher)
        self.write(payment.purchase.person, returned=payment.amount)

    def by_transfer(self):
        return self.receive(self.send(self.book(way=PayWay.TRANSFER).purchase))

    def by_a_transfer_that_did_not_come(self):
        transfer = self.send(self.book(way=PayWay.TRANSFER).purchase)
        refuse_transfer(transfer_id=transfer.pk, actor=self.teacher)

    def by_a_transfer_that_waits(self):
        self.send(self.book(way=PayWay.TRANSFER).purchase)

    def by_transfer_and_cancelled(self):
        transfer = self.by_transfer()
        call_off(transfer, self.teacher)
        assert find_balance(transfer.purchase.person).to_return == transfer.amount
        return transfer

    def by_transfer_cancelled_and_sent_back(self):
        transfer = self.by_transfer_and_cancelled()
        send_back(transfer, self.teacher)
        self.write(transfer.purchase.person, returned=transfer.amount)
        assert find_balance(transfer.purchase.person).to_return == 0

    def by_transfer_and_online(self):
        payment = self.ask()
        transfer = self.receive(self.send(payment.purchase))
        self.write(payment.purchase.person, received=self.pay(payment))
        return payment, transfer

    def by_transfer_and_online_which_goes_back(self):
        payment, _ = self.by_transfer_and_online()
        self.refund(payment, payment.amount)

    def by_transfer_and_online_which_stays(self):
        payment, transfer = self.by_transfer_and_online()
        accept_second_payment(payment.pk)
        send_back(transfer, self.teacher)
        self.write(payment.purchase.person, returned=transfer.amount)

    def online_and_by_transfer(self):
        payment = self.ask()
        transfer = self.send(payment.purchase)
        self.write(payment.purchase.person, received=self.pay(payment))
        self.receive(transfer)

    def places(self):
        """Three paid online, one by hand, one by transfer, one too late for a place."""
        price = self.price()
        open_class = self.publish(price, places=5)
        late = hold_place(open_class)
        Purchase.objects.places().filter(pk=late.pk).update(kept_until=timezone.now())
        for _ in range(3):
            self.take(hold_place(open_class))
        by_hand = hold_place(open_class)
        pay_place_by_hand(purchase_id=by_hand.pk, actor=self.teacher)
        self.write(by_hand.person, by_hand=price)
        self.receive(self.send(hold_place(open_class)))
        self.take(late)
        assert Purchase.objects.places().get(pk=late.pk).refund_reason == RefundReason.SEAT_LOST
        self.write(late.person, returned=price)

    def places_of_a_class_that_is_called_off(self):
        price = self.price()
        open_class = self.publish(price)
        online, by_hand = hold_place(open_class), hold_place(open_class)
        self.take(online)
        pay_place_by_hand(purchase_id=by_hand.pk, actor=self.teacher)
        self.write(by_hand.person, by_hand=price)
        cancel_class(class_id=open_class.pk, actor=self.teacher, fresh_sign_in=True)
        self.write(online.person, returned=price)
        assert find_balance(by_hand.person).to_return == price

    def a_place_by_transfer_that_is_called_off_and_sent_back(self):
        open_class = self.publish(self.price())
        transfer = self.receive(self.send(hold_place(open_class)))
        cancel_class(class_id=open_class.pk, actor=self.teacher, fresh_sign_in=True)
        send_back(transfer, self.teacher)
        self.write(transfer.purchase.person, returned=transfer.amount)

    def a_place_online_and_by_transfer(self):
        place = hold_place(self.publish(self.price()))
        transfer = self.send(place)
        self.take(place)
        self.receive(transfer)

    def a_place_with_a_discount(self):
        open_class = self.publish(self.price())
        code, person = DiscountCodeFactory(), UserFactory()
        place = PlaceFactory(
            open_class=open_class, person=person, price=90_000, **less(code, 10_000)
        )
        pay_place_by_hand(purchase_id=place.pk, actor=self.teacher)
        self.write(person, by_hand=90_000)

    def publish(self, price, **changes):
        day = next(self.days)
        moments = {"start": in_days(day + 0.125), "decides_at": in_days(day - 1)}
        return store(self.teacher, place_price=price, **moments | changes)

    def take(self, place):
        self.write(place.person, received=self.pay(place.payment))


WAYS = [
    name
    for name, part in vars(Month).items()
    if callable(part)
    and not name.startswith("_")
    and name
    not in {"write", "price", "ask", "pay", "sell", "book", "send", "receive", "refund"}
    | {"publish", "take"}
]


def sums_of(month):
    kinds = ("received", "by_hand", "returned", "charged_back")
    return {kind: getattr(month, kind) for kind in kinds if getattr(month, kind)}


def sell_for_a_month(month, clock):
    """Let every kind of sale happen, at random moments of a month and a little beyond."""
    first = datetime(2026, 11, 1, 3, tzinfo=UTC)  # midnight in Buenos Aires
    minute, whole = timedelta(minutes=1), timedelta(days=30)
    edges = [-minute, timedelta(), whole - minute, whole]
    ways = [*WAYS]
    month.dice.shuffle(ways)
    moments = [timedelta(minutes=month.dice.randrange(-2_000, 45_000)) for _ in ways]
    moments[: len(edges)] = edges
    for after, way in zip(sorted(moments), ways, strict=True):
        clock.move_to(first + after)
        getattr(month, way)()
        look_once_more()


def look_once_more():
    """Send the refunds that wait, and read all payments again, as the sweeps do."""
    send_due_refunds()
    for payment in Payment.objects.exclude(preference_id=None):
        settle(payment.preference_id)


def test_every_peso_is_in_its_month_and_in_one_balance(mercadopago, teacher, settings):
    settings.MAX_BOOKINGS = 10_000
    take_transfers()
    month = Month(mercadopago, teacher, seed=1)

    with time_machine.travel(datetime(2026, 11, 1, 12, tzinfo=UTC)) as clock:
        sell_for_a_month(month, clock)
        taken = {one.month: sums_of(one) for one in list_monthly_takings()}
        entries = {one.month: list(list_entries_of(one.month)) for one in list_monthly_takings()}
        balances = {
            person: find_balance(person)
            for person in UserFactory._meta.model.objects.exclude(is_staff=True)
        }

    written = {key: dict(sums) for key, sums in month.ledger.items() if hasattr(key, "month")}
    assert {key: sums for key, sums in taken.items() if sums} == written
    for key, rows in entries.items():
        sums = month.ledger[key]
        came = sum(one.amount for one in rows if one.kind == EntryKind.PAYMENT)
        assert (came, sum(one.amount for one in rows)) == (
            sums["received"] + sums["by_hand"],
            came - sums["returned"] - sums["charged_back"],
        )
    for person, balance in balances.items():
        sums = month.ledger[person.pk]
        kinds = ("online", "by_hand", "returned", "charged_back")
        assert [getattr(balance, kind) for kind in kinds] == [
            sums[kind] for kind in ("received", *kinds[1:])
        ]
    nets = sum(one["received"] + one["by_hand"] for one in map(Counter, taken.values()))
    assert sum(one.paid for one in balances.values()) == nets
