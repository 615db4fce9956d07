"""With a discount code too, the price that is seen is the one that is quoted and charged."""

import random
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.checkout.checkout import check_out_hold, price_hold
from bookings.domain.exceptions import DiscountCodeError, PriceChangedError
from bookings.domain.money.discounts import find_discount, is_over
from bookings.models import ClassType, DiscountCode, Hold
from bookings.pages.forms import DetailsForm
from tests.pages.front.test_structured_data import (
    DATES,
    DAYS,
    FIRST_DAY,
    make_price_lists,
    once_a_day,
    quoted,
    random_moment,
)


def make_codes(dice: random.Random) -> list[DiscountCode]:
    """Store codes of every kind: from a percent to all of it, some over, some stopped."""
    codes = []
    for number in range(40):
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


@pytest.mark.any_engine
def test_seen_quoted_and_charged_prices_agree_with_codes_on_10_000_random_dates(
    host, mercadopago, settings
):
    settings.MAX_WRONG_CODES = DATES
    dice = random.Random(20261125)
    offers = [(one, ClassType(one.class_type)) for one in make_price_lists(dice)]
    types = [*((None, kind) for kind in ClassType), *offers]
    kinds = [(*one, minutes) for one in types for minutes in (30, 60, 90)]
    codes, ask = make_codes(dice), once_a_day(quoted)
    seen_with_code = refused = charged = 0

    with time_machine.travel(datetime(2026, 1, 1, tzinfo=UTC), tick=False) as clock:
        for number in range(DATES):
            clock.move_to(random_moment(dice))
            kind, code = dice.choice(kinds), dice.choice(codes)
            prices = ask(*kind)
            if not any(prices.values()):
                continue
            students, typed = dice.choice(list(prices)), type_it(dice, code)
            form, hold = DetailsForm(prices=prices), hold_for(host, *kind)
            if prices[students]:
                try:
                    form.use_code(
                        find_discount(user=host, typed=typed, amount=prices[students]).code
                    )
                except DiscountCodeError:
                    assert is_over(code)
                    refused += 1
                    with pytest.raises(DiscountCodeError):
                        price_hold(hold, students_count=students, typed_code=typed)
                    continue
            seen = form.prices[students]
            quote, discount = price_hold(hold, students_count=students, seen=seen, typed_code=typed)
            assert quote.price == seen == prices[students] - (discount.amount if discount else 0)
            assert seen % 100 == 0 or not discount
            seen_with_code += bool(discount)
            if number % 100 == 0 and seen:
                hold.save()
                check_out_hold(
                    user=host,
                    hold_id=hold.pk,
                    students_count=students,
                    seen=seen,
                    typed_code=typed,
                )
                hold.delete()
                asked = mercadopago.preferences[-1]["items"][0]["unit_price"]
                assert round(asked * 100) == seen
                charged += 1

    assert seen_with_code > DATES / 4
    assert refused > DATES / 20
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
