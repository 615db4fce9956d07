"""What rounds come to, and when they are worth a verdict."""

import pytest

from tests.bench.spread import Spread, judge, quiet_rounds, shown, spread_of


def test_spread_of_rounds():
    assert spread_of([5.0, 1.0, 3.0, 2.0, 4.0]) == Spread(q1=2.0, median=3.0, q3=4.0)


def test_spread_of_a_single_round():
    assert spread_of([2.5]) == Spread(2.5, 2.5, 2.5)


@pytest.mark.parametrize(
    ("goal", "sense", "verdict"),
    [
        (3.0, "at most", "holds"),
        (2.5, "at most", "open"),
        (1.9, "at most", "misses"),
        (3.0, "at least", "holds"),
        (3.5, "at least", "open"),
        (4.1, "at least", "misses"),
    ],
)
def test_judge_by_median_and_better_quartile(goal, sense, verdict):
    assert judge([1.0, 2.0, 3.0, 4.0, 5.0], goal, sense) == verdict


def test_quiet_rounds_leave_out_the_disturbed_ones():
    assert quiet_rounds([1.0, 1.2, 1.3, 1.25]) == [0, 1, 3]


def test_no_round_is_quiet_on_a_machine_that_was_faster_before():
    assert quiet_rounds([1.31, 1.4], best_of_host=1.0) == []
    assert quiet_rounds([1.29, 1.4], best_of_host=1.0) == [0, 1]


@pytest.mark.parametrize(
    ("value", "text"), [(0.123, "0.12"), (12.34, "12.3"), (123.4, "123"), (0.0, "0.00")]
)
def test_shown_digits(value, text):
    assert shown(value) == text
