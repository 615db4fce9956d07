"""Each state of money: the rows that lead to it, its words in both languages, and who may pay."""

import pytest
from django.utils import timezone, translation

from bookings.domain.money.purchases import book_transfer
from bookings.models import Purchase, Refund, TransferState
from bookings.money_state import Money, MoneyState, describe_money, with_money
from tests.factories import BankTransferFactory, UserFactory
from tests.money_states import PAGE, render
from tests.sales.money_rows import BUILDERS, CASES, PRICE, lapsed, paid_online

pytestmark = pytest.mark.django_db


def read(purchase: Purchase):
    return describe_money(with_money(Purchase.objects.filter(pk=purchase.pk)).get(), timezone.now())


@pytest.mark.parametrize(("state", "build"), CASES)
def test_rows_lead_to_their_state(state, build):
    money = read(build())

    assert money.state is state
    assert money.may_pay == state.may_pay


@pytest.mark.parametrize(("state", "build"), CASES)
def test_words_are_whole_in_both_languages(state, build):
    money = read(build())
    spanish = [money.badge, money.line, money.cancelling]

    with translation.override("en"):
        english = [money.badge, money.line, money.cancelling]

    for text in [*spanish, *english, money.hers, money.report]:
        assert "%(" not in text
        assert "  " not in text
    assert all(one != other for one, other in zip(spanish, english, strict=True) if one)


def test_every_state_but_the_page_of_return_has_rows():
    assert set(MoneyState) - BUILDERS.keys() == {MoneyState.PROCESSING}


def test_who_comes_back_from_paying_waits():
    purchase = lapsed()

    money = Money(purchase, timezone.now(), says_paid=True)

    assert money.state is MoneyState.PROCESSING
    assert not money.may_pay


def test_second_payment_is_told_besides():
    purchase = paid_online()
    transfer = BankTransferFactory(purchase=purchase, state=TransferState.CONFIRMED)
    book_transfer(transfer, is_second=True, by=UserFactory())
    Refund.objects.create(
        purchase=purchase,
        way="transfer",
        transfer=transfer,
        amount=PRICE,
        reason="paid_twice",
        key="by-hand-1",
        next_attempt_at=None,
    )

    money = read(purchase)

    assert money.state is MoneyState.PAID
    assert "Pagaste dos veces: tu profe te devuelve $ 15.000." in money.line.replace("\xa0", " ")


@pytest.mark.parametrize("count", [1, 3])
def test_any_number_of_purchases_takes_the_same_queries(count, django_assert_num_queries):
    for _ in range(count):
        paid_online()

    with django_assert_num_queries(5):
        states = [
            describe_money(one, timezone.now()).line for one in with_money(Purchase.objects.all())
        ]

    assert len(states) == count


def test_page_of_docs_is_current():
    assert PAGE.read_text() == render(), "Run python -m tests.money_states"
