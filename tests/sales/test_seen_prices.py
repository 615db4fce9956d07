"""With a discount code too, the price that is seen is the one that is quoted and charged."""

import random
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.exceptions import PriceChangedError
from bookings.domain.money.discounts import DiscountCodeError, find_discount, is_over
from bookings.domain.sales.checkout import check_out_hold, price_hold
from bookings.models import ClassType, Hold
from bookings.models.sales.discount_code import DiscountCode
from bookings.pages.code_forms import DetailsWithCodeForm
from tests.pages.front.test_structured_data import (
    DATES as ALL_DATES,
)
from tests.pages.front.test_structured_data import (
    DAYS,
    FIRST_DAY,
    make_price_lists,
    once_a_day,
    quoted,
    random_moment,
)

# With a code; without one the test of the structured data looks at all of them.
DATES = ALL_DATES // 2


def make_codes(dice: random.Random) -> list[DiscountCode]:
    """Store codes of every kind: from a percent to all of it, some over, some stopped."""
    codes = []
    for number in range(20):
        percent = dice.choice([1, 100, dice.randrange(1, 101)]) if number % 2 else None
        amount = None if percent else dice.choice([1, 100, dice.randrange(1, 3_000_000)])
        ends: date | None = FIRST_DAY + timedelta(days=dice.randrange(DAYS))
        codes.append(
            DiscountCode(
                code=f"CODE{number:02}",
                percent=percent,
                amount=amount,
                valid_until=dice.choice([None, ends]),
                once_per_person=False,
                is_active=dice.random() > 0.1,
            )
        )
    return DiscountCode.objects.bulk_create(codes)


def type_it(dice: random.Random, code: DiscountCode) -> str:
    """Return the code as a person might type it."""
    text = code.code if dice.random() < 0.5 else code.code.lower()
    return dice.choice([text, f" {text} ", f"{text[:3]}-{text[3:]}", " ".join(text)])


def hold_for(host, offer, class_type: ClassType, minutes: int) -> Hold:
    now = timezone.now()
    times = {"start_time": now, "end_time": now + timedelta(minutes=minutes)}
    over = now + timedelta(minutes=5)
    times |= {"utc_offset": -180, "expires_at": over}
    return Hold(user=host, offer=offer, class_type=class_type, **times)


def find(host, code: DiscountCode) -> DiscountCode | None:
    """Return the code if it may be used now."""
    try:
        return find_discount(user=host, typed=code.code, amount=10**6).code
    except DiscountCodeError:
        return None


def quote_with(hold: Hold, students: int, typed: str) -> int | None:
    """Return the centavos that the domain quotes; None for a refused code."""
    try:
        return price_hold(hold, students_count=students, typed_code=typed)[0].price
    except DiscountCodeError:
        return None


def charge(mercadopago, hold: Hold, students: int, typed: str, seen: int) -> int:
    """Book, and return the centavos that the provider is asked to collect."""
    hold.save()
    check_out_hold(
        user=hold.user, hold_id=hold.pk, students_count=students, seen=seen, typed_code=typed
    )
    hold.delete()
    return round(mercadopago.preferences[-1]["items"][0]["unit_price"] * 100)


def test_seen_quoted_and_charged_prices_agree_with_codes_on_random_dates(
    host, mercadopago, settings
):
    settings.MAX_WRONG_CODES = DATES
    dice = random.Random(20261125)
    offers = [(one, ClassType(one.class_type)) for one in make_price_lists(dice)]
    types = [*((None, kind) for kind in ClassType), *offers]
    kinds = [(*one, minutes) for one in types for minutes in (30, 60, 90)]
    codes, ask, look_for = make_codes(dice), once_a_day(quoted), once_a_day(find)
    seen_with_code = refused = charged = 0

    with time_machine.travel(datetime(2026, 1, 1, tzinfo=UTC), tick=False) as clock:
        for number in range(DATES):
            clock.move_to(random_moment(dice))
            kind, code = dice.choice(kinds), dice.choice(codes)
            prices, found = ask(*kind), look_for(host, code)
            assert (found is None) == is_over(code)
            form, hold, typed = (
                DetailsWithCodeForm(prices=prices),
                hold_for(host, *kind),
                type_it(dice, code),
            )
            students = dice.choice([number for number, price in prices.items() if price] or [0])
            if not students:
                continue
            form.use_code(found)
            seen = form.prices[students]
            seen_with_code += seen < prices[students] and seen % 100 == 0
            if number % 5 == 0:
                quote = quote_with(hold, students, typed)
                assert quote == (seen if found else None)
                refused += quote is None
            if number % (DATES // 50) == 0 and found and seen:
                assert charge(mercadopago, hold, students, typed, seen) == seen
                charged += 1

    assert seen_with_code > DATES / 3
    assert refused > DATES / 100
    assert charged > 10


@pytest.mark.usefixtures("db")
def test_another_price_than_the_seen_one_is_refused(host):
    dice = random.Random(1)
    make_price_lists(dice)
    code = DiscountCode.objects.create(code="AMIGOS", percent=10)
    with time_machine.travel(datetime(2026, 2, 1, tzinfo=UTC), tick=False):
        prices = quoted(None, ClassType.GROUP, 60)
        students, listed = max(prices.items(), key=lambda one: one[1])
        hold = hold_for(host, None, ClassType.GROUP, 60)

        for seen in (listed, listed - 1, 0, -1):
            with pytest.raises(PriceChangedError):
                price_hold(hold, students_count=students, seen=seen, typed_code=code.code)
