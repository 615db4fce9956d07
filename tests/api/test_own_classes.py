"""/api/classes: one's own classes as JSON; cancelling and moving them."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
import time_machine
from django.utils import timezone

from bookings.api import own_classes
from bookings.domain.places.joining import join_class
from bookings.domain.sales.settling import settle
from bookings.models import (
    Closure,
    Payment,
    Purchase,
    Refund,
    Role,
    UserActivity,
    VirtualClass,
)
from tests.api.bodies import answer_of, post
from tests.factories import (
    BankTransferFactory,
    OpenClassFactory,
    PlaceFactory,
    VirtualClassFactory,
)
from tests.pages.moments import NOW, ZONE, tuesday
from tests.payments import PRICE, make_paid_class, make_payment
from tests.sales.open_classes import hold, store
from tests.standins import Fault
from tests.statements import statements

PATH = "/api/classes"
NOT_FOUND = (404, {"error": "No encontrado."})
NOT_HOST = {
    "error": "Solo quien reservó la clase puede cambiarla o cancelarla.",
    "code": "not_host",
}
NEXT_WEEK = tuesday("10:00", weeks=1)


@pytest.fixture
def scheduled(agenda, host):
    """Ana's class on a Tuesday in a week, at ten."""
    return VirtualClassFactory(
        booked_by=host, scheduled=True, access_code="7K2M9QXA", start_time=NEXT_WEEK, in_cash=NOW
    )


@pytest.fixture
def paid(agenda, host, mercadopago):
    """Ana's class in a week, paid online and in the calendar."""
    return make_paid_class(host, mercadopago)


def get(client, *parts):
    return answer_of(client.get("/".join([PATH, *map(str, parts)])))


def cancel(client, virtual_class, **body):
    return answer_of(post(client, f"{PATH}/{virtual_class.pk}/cancel", body))


def move(client, virtual_class, start):
    body = {"start": start.isoformat()}
    return answer_of(post(client, f"{PATH}/{virtual_class.pk}/move", body))


# --- Reading --------------------------------------------------------------------------------------


def test_a_host_reads_the_class(signed_in, scheduled):
    assert get(signed_in, scheduled.pk) == (
        200,
        {
            "id": str(scheduled.pk),
            "rol": "anfitrion",
            "startTime": "2026-12-01T10:00:00-03:00",
            "endTime": "2026-12-01T11:00:00-03:00",
            "classType": "grupal",
            "status": "scheduled",
            "classPrice": 1_500_000,
            "paid": True,
            "currentParticipants": 1,
            "maxParticipants": 5,
            "learningFocus": None,
            "accessCode": "7K2M9QXA",
            "preferenceId": scheduled.preference_id,
            "htmlLink": "https://meet.google.com/abc-defg-hij",
            "moveUntil": "2026-11-30T10:00:00-03:00",
            "cancelUntil": "2026-11-30T10:00:00-03:00",
            "refundIfCancelled": 1_500_000,
        },
    )


def test_a_guest_reads_neither_code_nor_money(sign_in, student, scheduled):
    join_class(user=student, access_code="7K2M9QXA")

    _, told = get(sign_in(student), scheduled.pk)

    assert (told["rol"], told["htmlLink"]) == ("participante", scheduled.html_link)
    hidden = ("classPrice", "paid", "accessCode", "preferenceId", "moveUntil", "refundIfCancelled")
    assert [told[name] for name in hidden] == [None] * 6


def test_a_pending_class_can_be_cancelled_and_not_moved(signed_in, host, agenda):
    virtual_class = VirtualClassFactory(booked_by=host, start_time=NEXT_WEEK)

    _, told = get(signed_in, virtual_class.pk)

    changes = (told["moveUntil"], told["cancelUntil"], told["refundIfCancelled"])
    assert changes == (None, told["endTime"], 0)


@pytest.mark.parametrize(
    "changes",
    [{"status": "cancelled"}, {"status": "completed"}, {"start_time": tuesday("09:00")}],
    ids=["cancelled", "completed", "too late"],
)
def test_what_is_no_longer_possible_is_not_offered(signed_in, scheduled, changes):
    VirtualClass.objects.update(**changes)

    _, told = get(signed_in, scheduled.pk)

    offers = (told["moveUntil"], told["cancelUntil"], told["refundIfCancelled"])
    assert offers == (None, None, None)


def test_foreign_and_unknown_classes_are_not_found(sign_in, stranger, scheduled):
    client = sign_in(stranger)

    assert get(client, scheduled.pk) == get(client, uuid4()) == NOT_FOUND
    assert cancel(client, scheduled) == NOT_FOUND
    assert move(client, scheduled, tuesday("11:00", weeks=1)) == NOT_FOUND
    assert get(client) == (200, {"classes": [], "next": None})


def test_a_stranger_is_asked_to_sign_in(anybody, scheduled):
    response = anybody.get(PATH)

    assert answer_of(response) == (401, {"error": "Ingresá para continuar."})
    assert cancel(anybody, scheduled)[0] == move(anybody, scheduled, NEXT_WEEK)[0] == 401


def test_the_list_comes_in_pages_and_is_kept_nowhere(signed_in, host, monkeypatch, agenda):
    monkeypatch.setattr(own_classes, "CLASSES_A_PAGE", 2)
    first, *_, last = (
        VirtualClassFactory(booked_by=host, start_time=NEXT_WEEK + timedelta(days=day))
        for day in (0, 0, 0, 1, 2)
    )

    response, found = signed_in.get(PATH), []
    for page in (2, 2, 1):
        classes, following = response.json()["classes"], response.json()["next"]
        assert (len(classes), response["Cache-Control"]) == (page, "private, no-store")
        found += [one["id"] for one in classes]
        response = signed_in.get(following) if following else None

    assert response is None
    assert len(set(found)) == 5
    assert found[0] == str(last.pk)
    assert str(first.pk) in found[2:]


@pytest.mark.parametrize(("before", "status"), [("", 400), ("x", 400), (UUID(int=7), 404)], ids=str)
def test_an_unknown_page_is_refused(signed_in, before, status):
    assert answer_of(signed_in.get(f"{PATH}?before={before}"))[0] == status


def add_classes(host, stranger, mercadopago):
    """Add classes that are paid in each way, and one of another person."""
    now = timezone.now()
    make_paid_class(host, mercadopago)
    by_hand = make_payment(host).purchase
    Purchase.objects.filter(pk=by_hand.pk).update(paid_at=now, state="paid")
    VirtualClassFactory(booked_by=host, scheduled=True, start_time=NEXT_WEEK, paid_at=now)
    by_transfer = VirtualClassFactory(booked_by=host, paid_at=now, start_time=NEXT_WEEK)
    BankTransferFactory(purchase=by_transfer.purchase, state="confirmed", decided_at=now)
    joined = OpenClassFactory()
    for person in (host, stranger):
        PlaceFactory(open_class=joined, person=person, paid_at=now)
    UserActivity.objects.create(user=host, virtual_class_id=joined.pk, rol=Role.PARTICIPANT)


def test_the_list_costs_the_same_for_few_and_many(signed_in, host, stranger, mercadopago, agenda):
    get(signed_in)  # renews the session
    counts = []
    for week in range(3):
        with time_machine.travel(NOW + timedelta(days=week), tick=False):
            add_classes(host, stranger, mercadopago)
        with statements() as asked:
            status, body = get(signed_in)
        counts.append(len(asked))
        assert (status, len(body["classes"])) == (200, 5 * (week + 1))

    # Session, classes, charges, refunds, purchases, entries, transfers, rules, seats.
    assert counts == [9, 9, 9]


# --- Cancelling -----------------------------------------------------------------------------------


def test_a_cancelled_class_is_refunded_as_shown(signed_in, paid):
    _, shown = get(signed_in, paid.pk)

    status, told = cancel(signed_in, paid, refund=shown["refundIfCancelled"], reason="Viajo")

    assert (status, told["status"], told["refundIfCancelled"]) == (200, "cancelled", None)
    assert Refund.objects.get().amount == shown["refundIfCancelled"] == PRICE
    assert paid.log.get(event="cancelled").reason == "Viajo"
    assert cancel(signed_in, paid, refund=PRICE) == (200, told)


def test_nothing_is_cancelled_if_less_goes_back_than_shown(signed_in, paid):
    charge = Payment.objects.get().charges.get()
    charge.refunded_amount = charge.refunded_elsewhere = 1
    charge.save()

    refusal = {
        "error": "Mientras tanto cambió lo que te devolvemos. Fijate de nuevo.",
        "code": "refund_changed",
    }
    assert cancel(signed_in, paid, refund=PRICE) == (409, refusal)

    paid.refresh_from_db()
    assert (paid.status, Refund.objects.count()) == ("scheduled", 0)
    assert cancel(signed_in, paid, refund=PRICE - 1)[0] == 200


def test_a_guest_neither_cancels_nor_moves(sign_in, student, scheduled):
    join_class(user=student, access_code="7K2M9QXA")
    client = sign_in(student)

    assert cancel(client, scheduled) == (403, NOT_HOST)
    assert move(client, scheduled, tuesday("11:30", weeks=1)) == (403, NOT_HOST)


def test_the_teacher_signs_in_again_before_money_of_others_goes_back(
    sign_in, teacher, student, mercadopago, agenda
):
    virtual_class = store(teacher).virtual_class
    seat = hold(virtual_class.open_class, student)
    mercadopago.pay(seat.payment.preference_id)
    settle(seat.payment.preference_id)
    client = sign_in(teacher)

    with time_machine.travel(NOW + timedelta(minutes=11), tick=False):
        status, body = cancel(client, virtual_class)

    assert (status, body["code"]) == (403, "sign_in_again")
    assert VirtualClass.objects.get().status == "scheduled"
    assert cancel(sign_in(teacher), virtual_class)[0] == 200


# --- Moving ---------------------------------------------------------------------------------------


def test_a_class_moves_to_a_time_that_the_pages_offer(signed_in, scheduled):
    status, told = move(signed_in, scheduled, tuesday("18:30", weeks=1))

    assert (status, told["startTime"]) == (200, "2026-12-01T18:30:00-03:00")
    assert told["endTime"] == "2026-12-01T19:30:00-03:00"


@pytest.mark.parametrize(
    ("start", "code"),
    [
        (tuesday("18:00", weeks=1), "slot_taken"),
        (tuesday("03:00", weeks=1), "slot_not_offered"),
        (tuesday("10:00", weeks=2), "slot_not_offered"),
        (NEXT_WEEK, "same_time"),
        (NOW - timedelta(hours=1), "time_over"),
    ],
    ids=["taken", "at night", "closed", "its own", "past"],
)
def test_a_class_moves_to_no_other_time(signed_in, scheduled, start, code):
    VirtualClassFactory(scheduled=True, start_time=tuesday("18:00", weeks=1))
    closed = tuesday("10:00", weeks=2).date()
    Closure.objects.create(first_day=closed, last_day=closed, reason="Feriado")

    status, body = move(signed_in, scheduled, start)

    assert (status, body["code"]) == (409, code)
    scheduled.refresh_from_db()
    assert scheduled.start_time == NEXT_WEEK


def test_nothing_moves_while_the_calendar_is_down(signed_in, scheduled, google):
    google.fault("events.list", *[Fault.status(503)] * 20)

    body = {"start": tuesday("18:30", weeks=1).isoformat()}
    response = post(signed_in, f"{PATH}/{scheduled.pk}/move", body)

    text = "No pudimos leer la agenda de tu profe. Volvé a intentarlo."
    assert answer_of(response) == (503, {"error": text})
    assert response["Retry-After"] == "30"


def test_a_student_who_moves_without_end_is_told_to_wait(signed_in, scheduled, settings):
    settings.MAX_CHANGES = 0
    body = {"start": datetime(2026, 12, 1, 18, 30, tzinfo=ZONE).isoformat()}

    response = post(signed_in, f"{PATH}/{scheduled.pk}/move", body)

    assert (response.status_code, int(response["Retry-After"]) > 0) == (429, True)
