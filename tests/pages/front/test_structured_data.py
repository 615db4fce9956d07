"""The page's JSON-LD says who she is, and the very prices that are quoted and charged."""

import json
import os
import random
import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.conf import settings
from django.utils import timezone

from bookings.domain.exceptions import NoPriceError
from bookings.domain.money.prices import (
    FEWEST_STUDENTS,
    Quote,
    find_list_price,
    list_class_options,
    list_prices_by_students,
)
from bookings.domain.sales.checkout import check_out_hold
from bookings.models import ClassType, Offer, Price, TeacherPage
from bookings.pages.structured_data import describe_page
from tests.factories import HoldFactory, TeacherPageFactory
from tests.sales.offers import KEY, make_offer

# DATES=10000 asks for as many.
DATES = int(os.environ.get("DATES", "200"))
FIRST_DAY = date(2026, 1, 1)
DAYS = 150
SCRIPT = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.S)
ZONE = ZoneInfo(settings.TIME_ZONE)


def read(html: str) -> list[dict]:
    return json.loads(SCRIPT.search(html)[1])["@graph"]


def told_prices(graph: list[dict]) -> dict[tuple[str, int], int]:
    """Return the centavos by address of the kind of class and number of students."""
    prices = {}
    for service in graph[1:]:
        for offer in service["offers"]:
            assert offer["priceCurrency"] == "ARS"
            people = offer.get("eligibleQuantity", {"minValue": 1, "maxValue": 1})
            kind = offer["url"].partition("?")[2]
            for students in range(people["minValue"], people["maxValue"] + 1):
                prices[kind, students] = int(Decimal(offer["price"]) * 100)
    return prices


@pytest.mark.usefixtures("agenda")
def test_the_page_carries_who_she_is(client, settings):
    teacher = TeacherPageFactory()

    person, *services = read(client.get("/").content.decode())

    assert person["@type"] == "Person"
    assert person["name"] == teacher.name
    assert person["knowsAbout"] == teacher.subject
    assert person["@id"] == f"{settings.BASE_URL}/#profe"
    assert [service["name"] for service in services] == [
        "Guitarra: Individual, 30 min",
        "Guitarra: Individual, 60 min",
        "Guitarra: Grupal, 60 min",
    ]
    assert {service["provider"]["@id"] for service in services} == {person["@id"]}


@pytest.mark.usefixtures("agenda")
def test_an_offer_has_its_name_text_subject_and_link(client, settings):
    TeacherPageFactory()
    make_offer({90: 2_500_000}, subject="Inglés", text="Simulacros.")
    make_offer({90: 1}, key="oculta", is_listed=False)

    *_, service = read(client.get("/").content.decode())

    assert service["name"] == "Inglés: Preparación de examen, 90 min"
    assert service["description"] == "Simulacros."
    assert service["offers"] == [
        {
            "@type": "Offer",
            "price": "25000.00",
            "priceCurrency": "ARS",
            "url": f"{settings.BASE_URL}/inicio/reservar?oferta={KEY}&min=90",
        }
    ]


@pytest.mark.usefixtures("agenda")
def test_an_english_page_describes_an_offer_in_english(client):
    client.cookies["language"] = "en"
    make_offer({90: 1}, text="Simulacros.", name_en="Exam preparation", text_en="Mock exams.")

    *_, service = read(client.get("/").content.decode())

    assert service["name"] == "Exam preparation, 90 min"
    assert service["description"] == "Mock exams."


def make_price_lists(dice: random.Random) -> list[Offer]:
    """Store prices of every kind that begin, end, replace each other and leave gaps.

    Half of them are of the offers, which are returned.
    """
    kinds = [ClassType.INDIVIDUAL, ClassType.INDIVIDUAL, ClassType.GROUP]
    offers = [
        make_offer({}, key=f"k{number}", class_type=kind) for number, kind in enumerate(kinds)
    ]
    rows = {}
    for _ in range(400):
        begins = FIRST_DAY + timedelta(days=dice.randrange(DAYS))
        offer = dice.choice([None, None, None, *offers])
        row = Price(
            offer=offer,
            class_type=offer.class_type if offer else dice.choice(ClassType.values),
            minutes=dice.choice([30, 60, 90]),
            students_up_to=dice.choice([1, 1, 2, 3, 5]),
            amount=dice.choice([0, dice.randrange(10**7), dice.randrange(10**5) * 100]),
            valid_from=begins,
            valid_until=begins + timedelta(days=dice.randrange(60)),
        )
        if dice.random() < 0.05:
            row.valid_until = None
        rows[offer, row.class_type, row.minutes, row.students_up_to, begins] = row
    Price.objects.bulk_create(rows.values())
    return offers


def random_moment(dice: random.Random) -> datetime:
    day = FIRST_DAY + timedelta(days=dice.randrange(-10, DAYS + 40))
    clock = time(dice.randrange(24), dice.randrange(60))
    return datetime.combine(day, clock, tzinfo=ZONE).astimezone(UTC)


def once_a_day(price):
    """Remember a function's answers of each local day."""
    remembered = cache(lambda day, *case: price(*case))
    return lambda *case: remembered(timezone.localdate(), *case)


options_of_the_day = once_a_day(list_class_options)


def told(offer: Offer | None, class_type: ClassType, minutes: int) -> dict[int, int]:
    """Return the centavos by number of students that the JSON-LD says now."""
    # Each service is described by itself, so the others need not be.
    options = [
        one
        for one in options_of_the_day()
        if (one.offer, one.class_type, one.minutes) == (offer, class_type, minutes)
    ]
    graph = read(describe_page(TeacherPage(), options, site_name="Clases"))
    kind = f"oferta={offer.key}&min={minutes}" if offer else f"tipo={class_type}&min={minutes}"
    return {people: price for (one, people), price in told_prices(graph).items() if one == kind}


def quoted(offer: Offer | None, class_type: ClassType, minutes: int) -> dict[int, int]:
    """Return the centavos by number of students that the page of details says now."""
    prices = list_prices_by_students(class_type=class_type, minutes=minutes, offer=offer)
    if class_type == ClassType.INDIVIDUAL and prices:
        return {1: prices[1]}  # the page asks nobody to count
    return prices


def listed(offer: Offer | None, class_type: ClassType, minutes: int, students: int) -> int | None:
    """Return the centavos that ``check_out_hold`` charges now, None without a price."""
    is_group = class_type == ClassType.GROUP
    start = timezone.now()
    quote = Quote(start, start + timedelta(minutes=minutes), is_group, students, price=0)
    try:
        return find_list_price(quote, offer=offer)
    except NoPriceError:
        return None


def charge(host, mercadopago, offer, class_type: ClassType, minutes: int, seen: dict) -> int:
    """Book for the most people, and return the centavos that the provider is asked to collect.

    seen: centavos by number of students, as they were told.
    """
    start = timezone.now() + timedelta(days=1)
    hold = HoldFactory(
        user=host,
        start_time=start,
        end_time=start + timedelta(minutes=minutes),
        class_type=class_type,
        offer=offer,
        expires_at=timezone.now() + timedelta(minutes=5),
    )
    students = max(seen)
    check_out_hold(user=host, hold_id=hold.pk, students_count=students, seen=seen[students])
    hold.delete()
    return round(mercadopago.preferences[-1]["items"][0]["unit_price"] * 100)


def test_told_quoted_and_charged_prices_agree_on_random_dates(host, mercadopago):
    """Any two moments of a day must agree, so each answer is asked for once a day."""
    dice = random.Random(20261124)
    offers = [(one, ClassType(one.class_type)) for one in make_price_lists(dice)]
    types = [*((None, kind) for kind in ClassType), *offers]
    kinds = [(*one, minutes) for one in types for minutes in (30, 60, 90)]
    tell, ask, look_up = (once_a_day(one) for one in (told, quoted, listed))
    priced = booked = 0

    with time_machine.travel(datetime(2026, 1, 1, tzinfo=UTC), tick=False) as clock:
        for number in range(DATES):
            clock.move_to(random_moment(dice))
            kind = dice.choice(kinds)
            prices = tell(*kind)
            assert ask(*kind) == prices
            students = dice.choice([*prices, FEWEST_STUDENTS[kind[1]]])
            assert look_up(*kind, students) == prices.get(students)
            priced += bool(prices)
            if number % (DATES // 20) == 0 and prices and prices[max(prices)]:
                asked = charge(host, mercadopago, *kind, seen=prices)
                assert asked == prices[max(prices)]
                booked += 1

    assert priced > DATES / 2
    assert booked > 5
