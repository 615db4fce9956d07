"""POST /api/booking: every documented status with its exact body, and what it leaves behind."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from bookings.models import ClassStatus, ClassType, VirtualClass
from tests.api.bodies import answer_of, booking_body, post
from tests.api.database_faults import failing
from tests.factories import VirtualClassFactory

BOOKED = (200, {"success": True, "status": 200})


def refusal(status, text):
    return (status, {"success": False, "status": status, "error": text})


def test_booking_answers_as_documented(signed_in):
    response = post(signed_in, "/api/booking", booking_body())

    assert answer_of(response) == BOOKED


def test_booking_stores_what_was_asked_for(signed_in, host):
    post(signed_in, "/api/booking", booking_body(preferenceId="preference-x"))

    stored = VirtualClass.objects.values().get()
    assert stored == stored | {
        "booked_by_id": host.pk,
        "preference_id": "preference-x",
        "start_time": datetime(2030, 1, 5, 18, tzinfo=UTC),
        "end_time": datetime(2030, 1, 5, 19, tzinfo=UTC),
        "class_type": ClassType.GROUP,
        "class_price": 1_500_000,
        "max_participants": 5,
        "current_participants": 0,
        "participants_ids": [str(host.pk)],
        "learning_focus": "Travel",
        "status": ClassStatus.PENDING,
        "access_code": None,
        "provider_event_id": None,
    }
    assert isinstance(stored["id"], uuid.UUID)


@pytest.mark.usefixtures("untouched")
def test_booking_refuses_a_stranger(anybody):
    response = post(anybody, "/api/booking", booking_body())

    assert answer_of(response) == refusal(401, "Ingresá para continuar.")
    assert response["WWW-Authenticate"] == "Session"


def test_booking_refuses_a_suspended_person(signed_in, host):
    host.status = "suspended"
    host.save()

    response = post(signed_in, "/api/booking", booking_body())

    assert response.status_code == 401
    assert not VirtualClass.objects.exists()


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"price": "5000"}, "price: Tiene que ser un número entero."),
        ({"price": 10**10 + 1}, "price: No puede ser más de 10000000000."),
        ({"studentsCount": 101}, "studentsCount: No puede ser más de 100."),
        ({"isGroupClass": "si"}, "isGroupClass: Tiene que ser true o false."),
        (
            {"start": "mañana"},
            "start: Tiene que ser una fecha y hora ISO 8601, como 2030-01-05T15:00:00-03:00.",
        ),
        ({"text": "x" * 2001}, "text: No puede tener más de 2000 caracteres."),
        (
            {"preferenceId": " "},
            "preferenceId: Tiene que tener caracteres visibles, sin saltos de línea.",
        ),
        (
            {"end": "2030-01-05T15:00:00-03:00"},
            "La clase tiene que terminar después de empezar.",
        ),
        (
            {"start": "2020-01-05T15:00:00-03:00", "end": "2020-01-05T16:00:00-03:00"},
            "La clase ya terminó.",
        ),
        ({"end": "2030-01-05T23:00:01-03:00"}, "La clase es demasiado larga."),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_booking_says_what_is_wrong(signed_in, changes, text):
    response = post(signed_in, "/api/booking", booking_body(**changes))

    assert answer_of(response) == refusal(400, text)


@pytest.mark.parametrize("owner", ["host", "stranger"])
def test_booking_refuses_a_preference_that_was_used(signed_in, request, owner):
    used = VirtualClassFactory(booked_by=request.getfixturevalue(owner))

    response = post(signed_in, "/api/booking", booking_body(preferenceId=used.preference_id))

    assert answer_of(response) == refusal(400, "Esa preferencia de pago ya tiene una reserva.")
    assert VirtualClass.objects.get() == used


def test_booking_hides_why_the_database_failed(signed_in, caplog):
    with failing('INSERT INTO "bookings_virtualclass"'):
        response = post(signed_in, "/api/booking", booking_body())

    assert answer_of(response) == refusal(500, "No pudimos guardar la reserva.")
    assert not VirtualClass.objects.exists()
    assert "BookingView failed" in caplog.text


# --- Too many -------------------------------------------------------------------------------------


def test_a_flood_of_bookings_is_limited_by_rate(signed_in, settings, time_machine):
    ten_to = (timezone.now() + timedelta(hours=1)).replace(minute=50, second=0, microsecond=0)
    time_machine.move_to(ten_to, tick=False)
    assert settings.MAX_BOOKINGS >= 200  # an honest program books so many in a row
    settings.MAX_BOOKINGS = 3
    for _ in range(3):
        assert post(signed_in, "/api/booking", booking_body()).status_code == 200

    response = post(signed_in, "/api/booking", booking_body())

    text = "Hiciste demasiadas reservas seguidas. Probá de nuevo más tarde."
    assert response.status_code == 429
    assert response.json() == {"success": False, "status": 429, "error": text}
    assert response["Retry-After"] == "600"
    assert VirtualClass.objects.count() == 3
    time_machine.shift(timedelta(seconds=600))
    assert post(signed_in, "/api/booking", booking_body()).status_code == 200
