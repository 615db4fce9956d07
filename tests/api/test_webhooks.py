"""POST /api/webhooks/mercadopago: a notice is a hint, stored before it is answered."""

import json
import re
import socket
import threading
import time
from datetime import timedelta
from statistics import median
from urllib.parse import parse_qs, urlencode

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bookings.domain.sales import notifications
from bookings.domain.sales.notifications import forget_notifications, process_notifications
from bookings.models import ClassStatus, PaymentNotification, SignatureState
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from tests.payments import make_payment, posting
from tests.standins import Fault
from tests.standins.mercadopago.notices import signature

PATH = "/api/webhooks/mercadopago"
SECRET = "webhook-secret"
LIMIT_SECONDS = 0.3

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mercadopago")]


@pytest.fixture
def provider() -> Client:
    """Whoever posts notices, without a session."""
    return Client(raise_request_exception=False)


@pytest.fixture
def paid(mercadopago, host, teacher):
    """Ana's payment, approved at the provider, of which nobody told us yet."""
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    return payment


def signed(resource_id, *, secret=SECRET, ts="1704908010"):
    digest = signature(secret, resource_id, "request-1", ts)
    return {"x-signature": f"ts={ts},v1={digest}", "x-request-id": "request-1"}


def post(client, query="data.id=1&type=payment", body=b"{}", headers=None):
    raw = body if isinstance(body, bytes) else json.dumps(body)
    return client.generic(
        "POST", f"{PATH}?{query}", raw, content_type="application/json", headers=headers
    )


# --- From the notice to the class -----------------------------------------------------------------


def test_a_paid_class_is_scheduled_once_whatever_arrives_how_often(
    provider, paid, mercadopago, google
):
    answers = mercadopago.deliver("shuffled", duplicate=3, seed=7, post=posting(provider))
    process_notifications()
    mercadopago.deliver([0, -1], post=posting(provider))
    process_notifications()

    assert set(answers) == {200}
    paid.refresh_from_db()
    assert paid.purchase.virtual_class.status == ClassStatus.SCHEDULED
    assert len(google.live_events()) == 1
    assert not PaymentNotification.objects.filter(processed_at=None).exists()


# --- Who is believed ------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [signed("1", secret="another")["x-signature"], "nonsense"])
def test_a_forged_signature_is_refused_and_stores_nothing(provider, mercadopago, header):
    headers = {"x-signature": header, "x-request-id": "request-1"}

    response = post(provider, headers=headers)

    assert (response.status_code, response.json()) == (401, {"error": "La firma no es válida."})
    assert not PaymentNotification.objects.exists()
    assert mercadopago.requests == []


@pytest.mark.parametrize("ts", ["1704908010", "1704908010123"], ids=["seconds", "milliseconds"])
def test_a_good_signature_is_noted(provider, ts):
    response = post(provider, headers=signed("1", ts=ts))

    assert response.status_code == 200
    assert PaymentNotification.objects.get().signature == SignatureState.VALID


def test_without_a_secret_each_notice_is_a_hint(provider, settings):
    settings.MERCADOPAGO_WEBHOOK_SECRET = ""

    post(provider, "id=1&topic=payment")

    notification = PaymentNotification.objects.get()
    assert notification.signature == SignatureState.UNCONFIGURED


# --- What cannot hurt -----------------------------------------------------------------------------


def test_no_request_leaves_for_an_address_in_the_notice(provider, mercadopago, settings):
    settings.MERCADOPAGO_WEBHOOK_SECRET = ""
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.settimeout(0.3)
        address = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/merchant_orders/7"
        body = {"resource": address, "topic": "merchant_order", "data": {"id": address}}

        post(provider, "", body)
        post(provider, f"topic=merchant_order&id={address}", body)
        post(provider, f"type=payment&data.id={address}", body)
        process_notifications()

        with pytest.raises(TimeoutError):
            elsewhere.accept()
    # The digits at the end are looked up where orders are.
    assert {request.path for request in mercadopago.requests} == {"/merchant_orders/7"}


@pytest.mark.parametrize("fault", [None, Fault.status(400)], ids=["unknown", "refused"])
def test_a_payment_that_cannot_be_looked_up_is_done(provider, mercadopago, fault):
    """The provider's simulator tells of 123456, which there is not."""
    mercadopago.fault("payments.get", *filter(None, [fault]))
    post(provider, "data.id=123456&type=payment", headers=signed("123456"))

    assert process_notifications() == 1
    notification = PaymentNotification.objects.get()
    assert notification.processed_at is not None
    assert notification.next_attempt_at is None
    assert ("400" if fault else "unknown charge") in notification.failure


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("", b""),
        ("", b"\x00\xff"),
        ("", b"[" * 16_000),
        ("", b'{"type": "payment", "data": {"id": "drop table"}}'),
        ("data.id=1&type=plan", b"{}"),
        ("data.id=%00&type=payment", b"{}"),
    ],
)
def test_garbage_is_taken_and_forgotten(provider, query, body):
    assert post(provider, query, body).status_code == 200
    assert not PaymentNotification.objects.exists()


WORDS = st.one_of(
    st.sampled_from(["payment", "merchant_order", "topic_chargebacks_wh", "7", "007", "٣", "../1"]),
    st.sampled_from(["1%2F..%2F2", "http://127.0.0.1:9/merchant_orders/7", "\x00", "\ud800", "🧉"]),
    st.text(max_size=30),
)
VALUES = st.recursive(
    st.one_of(WORDS, st.none(), st.booleans(), st.floats(), st.integers(-(10**30), 10**30)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
NAMES = ("type", "topic", "id", "data", "data.id", "resource", "action", "payment_id")
NOTICES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)
HEADERS = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\x00"), max_size=80)
READS = re.compile(
    r"/v1/payments/[0-9]{1,20}|/merchant_orders/[0-9]{1,20}|/merchant_orders/search|/v1/payments/search"
)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    query=st.dictionaries(st.sampled_from(NAMES), WORDS, max_size=4),
    body=st.one_of(NOTICES.map(json.dumps).map(str.encode), st.binary(max_size=60)),
    header=HEADERS,
    is_signed=st.booleans(),
)
def test_whatever_is_sent_is_answered_and_only_numbers_are_looked_up(
    provider, mercadopago, query, body, header, is_signed
):
    cache.clear()  # the limit is another test's
    address = urlencode(query, errors="surrogatepass")
    named = parse_qs(address, keep_blank_values=True).get("data.id", [""])[-1]
    headers = signed(named) if is_signed else {"x-signature": header, "x-request-id": header}

    response = post(provider, address, body, headers=headers)
    process_notifications()

    assert response.status_code in {200, 401}
    assert all(READS.fullmatch(request.path) for request in mercadopago.requests)


@pytest.mark.parametrize("size", [16 * 1024 + 1, 1024 * 1024])
def test_more_than_any_notice_has_is_refused(provider, size):
    response = post(provider, body=b" " * size, headers=signed("1"))

    assert response.status_code == 413
    assert not PaymentNotification.objects.exists()


def test_no_cookie_and_no_token_is_needed(host, sign_in):
    client = Client(enforce_csrf_checks=True)
    client.force_login(host)

    assert post(client, headers=signed("1")).status_code == 200


# --- Floods ---------------------------------------------------------------------------------------


@pytest.fixture
def at_noon():
    """A minute that does not end while the test runs."""
    with time_machine.travel("2026-11-23T12:00:01-03:00", tick=False) as clock:
        yield clock


def test_a_flood_without_a_signature_is_stopped_and_a_signed_notice_is_not(
    provider, mercadopago, settings, at_noon
):
    most = settings.MAX_UNVERIFIED_NOTIFICATIONS = 5
    answers = [post(provider, f"id={number}&topic=payment") for number in range(most + 1)]

    assert [response.status_code for response in answers] == [200] * most + [429]
    assert answers[-1].json() == {"error": "Demasiados avisos sin una firma válida."}
    assert answers[-1]["Retry-After"] == "60"
    assert not PaymentNotification.objects.exists()
    assert post(provider, headers=signed("1")).status_code == 200
    at_noon.shift(60)
    assert post(provider, "id=1&topic=payment").status_code == 200


def test_a_flood_of_wrong_signatures_is_stopped(provider, at_noon, settings):
    settings.MAX_UNVERIFIED_NOTIFICATIONS = 2

    answers = [post(provider, headers=signed("1", secret="another")) for _ in range(3)]

    assert [response.status_code for response in answers] == [401, 401, 429]


@pytest.mark.parametrize(
    ("days", "kept"),
    [(6, {"1", "2"}), (8, {"1"}), (399, {"1"}), (401, set())],
    ids=["6 days", "8 days", "399 days", "401 days"],
)
def test_notices_that_led_nowhere_are_forgotten_soon_and_the_others_late(
    provider, paid, mercadopago, days, kept
):
    number = str(mercadopago.payments[0]["id"])
    for resource_id in (number, "2"):
        post(provider, f"data.id={resource_id}&type=payment", headers=signed(resource_id))
    process_notifications()

    with time_machine.travel(timezone.now() + timedelta(days=days)):
        forget_notifications()

    left = set(PaymentNotification.objects.values_list("resource_id", flat=True))
    assert left == {number if one == "1" else one for one in kept}


# --- A provider that fails ------------------------------------------------------------------------


def test_a_provider_that_is_down_is_not_asked_for_every_notice(provider, mercadopago):
    for number in range(6):
        post(provider, f"data.id={number}&type=payment", headers=signed(str(number)))
    mercadopago.fault("payments.get", *[Fault.status(503)] * 9)

    assert process_notifications() == 0

    assert len(mercadopago.requests) == 3


def test_a_notice_that_cannot_be_looked_into_stops_no_other_and_is_given_up(
    provider, mercadopago, monkeypatch
):
    def fail_for_one(gateway, *, topic, resource_id):
        if resource_id == "1":
            raise ValueError("a bug")

    monkeypatch.setattr(MercadoPagoGateway, "find_notified", fail_for_one)
    for number in range(3):
        post(provider, f"data.id={number}&type=payment", headers=signed(str(number)))

    assert process_notifications() == 2
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(notifications.NOTIFICATION_ATTEMPTS):
            clock.shift(timedelta(days=1))
            process_notifications()

    bad = PaymentNotification.objects.get(processed_at=None)
    assert (bad.resource_id, bad.failure, bad.next_attempt_at) == ("1", "ValueError", None)


# --- Speed ----------------------------------------------------------------------------------------


@pytest.mark.concurrency
@pytest.mark.django_db(transaction=True)
def test_the_answer_does_not_wait_for_a_provider_that_hangs(
    provider, mercadopago, settings, monkeypatch
):
    monkeypatch.delattr(notifications.job, "call")
    settings.MERCADOPAGO_TIMEOUT = timedelta(seconds=0.5)
    mercadopago.fault("payments.get", *[Fault.delay(1)] * 40)
    seconds = []

    for number in range(20):
        began = time.perf_counter()
        response = post(provider, f"data.id={number}&type=payment", headers=signed(str(number)))
        seconds.append(time.perf_counter() - began)
        assert response.status_code == 200

    wait_for_errand()
    assert PaymentNotification.objects.count() == 20
    # A machine that others use may hold one of them up; waiting for the provider would each.
    assert median(seconds) < LIMIT_SECONDS, sorted(seconds)


def wait_for_errand():
    for thread in threading.enumerate():
        if thread.name == "process_notifications":
            thread.join(30)
            assert not thread.is_alive()
