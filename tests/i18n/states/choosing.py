"""Choosing a time, and the details of a time that is kept."""

from datetime import date

from bookings.models import ClassType, Closure, DiscountCode, Hold, Price, Purchase, WeeklyHours
from tests.i18n.states.world import NOW, state


@state("bookings:book")
def a_chosen_time_that_is_gone(world):
    world.schedule()
    return world.get("bookings:book", dia="2026-11-24", hora="10:00", user=world.host)


@state("bookings:book")
def a_day_without_times(world):
    return world.get("bookings:book", dia="2026-11-28")


@state("bookings:book")
def a_holiday(world):
    day = date(2026, 11, 28)
    Closure.objects.create(
        first_day=day, last_day=day, reason="Shakespeare", is_public_holiday=True
    )
    return world.get("bookings:book", dia="2026-11-28")


@state("bookings:book")
def a_month_without_times(world):
    return world.get("bookings:book", mes="2027-02")


@state("bookings:book")
def nothing_free(world):
    WeeklyHours.objects.all().delete()
    return world.get("bookings:book")


@state("bookings:book")
def no_offers_for_the_teacher(world):
    Price.objects.all().delete()
    return world.get("bookings:book", user=world.teacher)


@state("bookings:book")
def calendar_that_cannot_be_read(world):
    world.break_calendar()
    return world.get("bookings:book")


@state("bookings:book")
def too_many_unpaid_times(world):
    world.settings.MAX_UNPAID_HOLDS = 0
    choice = {"tipo": "individual", "min": "60", "dia": "2026-11-24", "hora": "10:00"}
    return world.post("bookings:book", user=world.host, **choice)


def details_with_a_code(world, kind: ClassType, typed: str):
    """Type a code for a class; AMIGOS takes $ 2.000 off."""
    DiscountCode.objects.create(code="AMIGOS", amount=200_000)
    hold, form = world.hold(kind), {"students_count": "1" if kind == "individual" else "2"}
    return world.post("bookings:hold", hold.pk, user=world.host, code=typed, apply="1", **form)


@state("bookings:hold")
def details_of_a_group_with_a_discount(world):
    return details_with_a_code(world, ClassType.GROUP, "amigos")


@state("bookings:hold")
def details_with_a_wrong_code(world):
    return details_with_a_code(world, ClassType.GROUP, "nada")


@state("bookings:hold")
def details_after_too_many_wrong_codes(world):
    world.settings.MAX_WRONG_CODES = 0
    return details_with_a_code(world, ClassType.GROUP, "amigos")


@state("bookings:class")
def a_class_with_a_discount(world):
    code = DiscountCode.objects.create(code="AMIGOS", amount=200_000)
    virtual_class = world.schedule()
    Purchase.objects.update(discount=200_000, discount_code=code)
    return world.get("bookings:class", virtual_class.pk, user=world.host)


@state("bookings:hold")
def wrong_details(world):
    hold = world.hold(ClassType.GROUP)
    return world.post(
        "bookings:hold", hold.pk, students_count="99", text="x" * 3000, user=world.host
    )


@state("bookings:hold")
def missing_details(world):
    return world.post("bookings:hold", world.hold(ClassType.GROUP).pk, text="x", user=world.host)


@state("bookings:book")
def a_hold_that_is_over(world):
    hold = world.hold()
    Hold.objects.update(expires_at=NOW)
    return world.post("bookings:hold", hold.pk, students_count="1", user=world.host)


@state("bookings:book")
def a_hold_without_a_price(world):
    hold = world.hold()
    Price.objects.filter(class_type="individual").delete()
    return world.post("bookings:hold", hold.pk, students_count="1", user=world.host)


@state("bookings:inicio")
def a_time_that_is_kept_and_not_booked(world):
    world.hold()
    return world.get("bookings:inicio", user=world.host)


@state("bookings:inicio")
def a_time_let_go(world):
    return world.post("bookings:release", world.hold().pk, user=world.host)
