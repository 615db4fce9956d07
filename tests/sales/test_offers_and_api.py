"""Clients of the API book from the plain list, whatever the offers cost."""

from datetime import timedelta

import pytest

from bookings.models import Price, VirtualClass
from tests.pages.moments import tuesday
from tests.sales.offers import make_offer, make_trial

START = tuesday("10:00")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("agenda")]


def wish(minutes=60, **changes):
    end = START + timedelta(minutes=minutes)
    return {
        "start": START.isoformat(),
        "end": end.isoformat(),
        "isGroupClass": False,
        "studentsCount": 1,
        **changes,
    }


def post(client, path, body):
    return client.post(path, body, content_type="application/json")


def book(client, price, minutes=60):
    booking = {"preferenceId": f"foreign-{price}", "price": price, "text": ""}
    return post(client, "/api/booking", wish(minutes, **booking))


def test_a_preference_costs_what_the_plain_list_says(host, sign_in, mercadopago):
    make_offer({60: 100, 90: 200})
    client = sign_in(host)

    hour = post(client, "/api/payments/preference", wish())
    longer = post(client, "/api/payments/preference", wish(90))

    [preference] = mercadopago.preferences
    assert hour.status_code == 200
    assert preference["items"][0]["unit_price"] == 15_000
    assert longer.status_code == 400


def test_a_booking_is_judged_by_the_plain_list(host, sign_in, mercadopago):
    make_offer({60: 100})
    client = sign_in(host)

    cheap, right = book(client, 100), book(client, 1_500_000)

    assert (cheap.status_code, right.status_code) == (400, 200)
    assert VirtualClass.objects.get().offer is None


def test_offers_alone_are_no_price_list(host, sign_in, mercadopago):
    Price.objects.all().delete()
    make_offer({60: 1_800_000})
    make_trial()

    assert book(sign_in(host), 100).status_code == 200
    assert VirtualClass.objects.get().price_decision == ""
