"""POST /api/payments/preference, and the booking that names what it gave."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from bookings.models import ClassStatus, ClassType, Payment, PaymentStatus, Price, VirtualClass
from tests.api.bodies import answer_of, booking_body, post
from tests.standins import Fault

PATH, BOOKING, CALENDAR = "/api/payments/preference", "/api/booking", "/api/calendar"
PRICE = 2_400_000
MISMATCH = "Esa preferencia de pago no corresponde a esta reserva."
ZONE = ZoneInfo("America/Argentina/Buenos_Aires")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("prices")]


@pytest.fixture
def prices(db):
    Price.objects.create(
        class_type=ClassType.GROUP,
        minutes=60,
        students_up_to=5,
        amount=PRICE,
        valid_from=timezone.localdate() - timedelta(days=1),
    )


def wish(**changes):
    body = {
        name: booking_body()[name] for name in ("start", "end", "isGroupClass", "studentsCount")
    }
    return body | changes


def test_a_preference_is_made_at_the_price_of_the_list(signed_in, host, mercadopago):
    response = post(signed_in, PATH, wish(price=1))

    status, body = answer_of(response)
    payment = Payment.objects.get()
    assert (status, payment.purchase.person, payment.status) == (200, host, PaymentStatus.PENDING)
    assert body == {
        "preferenceId": payment.preference_id,
        "initPoint": payment.checkout_url,
        "price": PRICE,
        "expiresAt": payment.expires_at.astimezone(ZONE).isoformat(),
    }
    [preference] = mercadopago.preferences
    assert preference["id"] == body["preferenceId"]
    assert preference["items"][0]["unit_price"] == 24_000
    assert datetime.fromisoformat(body["expiresAt"]) > timezone.now()


@pytest.mark.parametrize("paid_first", [True, False], ids=["paid first", "booked first"])
def test_it_is_booked_and_paid_in_either_order(
    signed_in, anybody, mercadopago, google, teacher, paid_first
):
    preference = post(signed_in, PATH, wish()).json()["preferenceId"]
    booking = booking_body(price=PRICE, preferenceId=preference)

    steps = [
        lambda: mercadopago.pay(preference),
        lambda: post(signed_in, BOOKING, booking),
    ]
    for step in steps if paid_first else reversed(steps):
        step()
    response = post(anybody, CALENDAR, {"preferenceId": preference})

    assert answer_of(response)[0] == 200
    assert VirtualClass.objects.get().status == ClassStatus.SCHEDULED
    assert len(google.live_events()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"price": PRICE - 1},
        {"end": "2030-01-05T17:00:00-03:00"},
    ],
    ids=lambda change: " ".join(change),
)
def test_a_booking_must_be_what_was_paid_for(signed_in, mercadopago, change):
    preference = post(signed_in, PATH, wish()).json()["preferenceId"]
    booking = booking_body(price=PRICE, preferenceId=preference) | change

    response = post(signed_in, BOOKING, booking)

    assert answer_of(response) == (400, {"success": False, "status": 400, "error": MISMATCH})
    assert not VirtualClass.objects.exists()


@pytest.mark.parametrize(
    ("changes", "status", "text"),
    [
        ({"studentsCount": 6}, 400, "No ofrecemos clases de ese tipo y duración."),
        ({"isGroupClass": False}, 400, "No ofrecemos clases de ese tipo y duración."),
        ({"start": "2030-01-05T17:00:00-03:00"}, 400, None),
        (
            {"start": "2020-01-05T15:00:00-03:00", "end": "2020-01-05T16:00:00-03:00"},
            400,
            "La clase ya terminó.",
        ),
        ({"studentsCount": "5"}, 400, "studentsCount: Tiene que ser un número entero."),
    ],
    ids=["too many", "no such class", "backwards", "over", "not a number"],
)
def test_what_is_not_offered_has_no_preference(signed_in, mercadopago, changes, status, text):
    code, body = answer_of(post(signed_in, PATH, wish(**changes)))

    assert code == status
    assert text is None or body == {"error": text}
    assert mercadopago.preferences == []


@pytest.mark.usefixtures("agenda")
def test_a_time_that_the_pages_do_not_offer_has_no_preference(signed_in, mercadopago):
    start = "2026-12-25T10:00:00-03:00"
    body = wish(start=start, end="2026-12-25T11:00:00-03:00")

    refusal = {"error": "Tu profe no ofrece ese horario.", "code": "slot_not_offered"}
    assert answer_of(post(signed_in, PATH, body)) == (409, refusal)
    # A preference of the teacher's own server is her word.
    theirs = booking_body(price=PRICE, preferenceId="made-elsewhere", **body)
    assert answer_of(post(signed_in, BOOKING, theirs))[0] == 200


@pytest.mark.usefixtures("agenda")
def test_a_calendar_that_is_down_gives_no_preference(signed_in, mercadopago, google, teacher):
    google.revoke(teacher.provider_refresh_token)
    period = {"start": "2026-11-24T10:00:00-03:00", "end": "2026-11-24T11:00:00-03:00"}

    response = post(signed_in, PATH, wish(**period))

    text = "No pudimos leer la agenda de tu profe. Volvé a intentarlo."
    assert answer_of(response) == (503, {"error": text})
    assert not Payment.objects.exists()


def test_a_provider_that_is_down_can_be_asked_again(signed_in, mercadopago):
    mercadopago.fault("preferences.create", Fault.status(503))

    response = post(signed_in, PATH, wish())

    assert answer_of(response)[0] == 503
    assert post(signed_in, PATH, wish()).status_code == 200


def test_without_a_provider_there_is_nothing_to_prepare(signed_in):
    response = post(signed_in, PATH, wish())

    assert answer_of(response) == (503, {"error": "Todavía no recibimos pagos en línea."})
    assert not Payment.objects.exists()


def test_a_stranger_is_asked_to_sign_in(anybody, mercadopago):
    response = post(anybody, PATH, wish())

    assert response.status_code == 401
    assert "WWW-Authenticate" in response


def test_whoever_asks_without_end_is_told_to_wait(signed_in, mercadopago, settings):
    settings.MAX_UNPAID_PREFERENCES = 1
    post(signed_in, PATH, wish())

    response = post(signed_in, PATH, wish())

    text = "Ya tenés varias reservas sin pagar. Pagalas o esperá a que venzan."
    assert answer_of(response) == (429, {"error": text})
