"""The state of a purchase's money, in words.

Pages, mails, panel, API and files take their words from ``describe_money``.
"""

from bookings.money_state.describing import (
    Money,
    describe_money,
    say_what_goes_back,
    with_class_money,
    with_money,
)
from bookings.money_state.returns import REASONS, ReturnedMoney, ReturnState, describe_refund
from bookings.money_state.states import MoneyState

__all__ = [
    "REASONS",
    "Money",
    "MoneyState",
    "ReturnState",
    "ReturnedMoney",
    "describe_money",
    "describe_refund",
    "say_what_goes_back",
    "with_class_money",
    "with_money",
]
