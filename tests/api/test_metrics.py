"""GET /metrics: who may read it, what it tells, and what that costs."""

from contextlib import suppress
from datetime import timedelta
from functools import partial

import pytest
import requests
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.sign_in.adapters import SECONDS, TimedAdapter
from bookings.checks import check_settings
from bookings.domain.calendar.grant import check_calendar_grant, note_refused_account
from bookings.payments.gateway import PaymentError
from bookings.payments.mercadopago.client import SECONDS as PAYMENT_SECONDS
from bookings.payments.mercadopago.client import name_operation
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from bookings.work.metrics import list_queues
from calendar_sync.google.transport import SECONDS as CALENDAR_SECONDS
from config.lib.provider_calls import outcome_of
from tests.api.database_faults import SECRET, failing
from tests.factories import VirtualClassFactory
from tests.standins import Fault

pytestmark = pytest.mark.django_db


TOKEN = "a-token-of-some-length"

QUEUES = list(list_queues(timezone.now()))


@pytest.fixture(autouse=True)
def _token(settings):
    settings.METRICS_TOKEN = TOKEN


def ask(client):
    return client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})


@pytest.fixture
def scrape(client):
    """Return a function that asks once, and returns one that gives a figure of the answer."""
    return lambda: partial(find, ask(client).text.splitlines())


@pytest.fixture
def read(scrape):
    """Give one figure of a scrape; None when it is not told."""
    return lambda name, **labels: scrape()(name, **labels)


def find(told, name, **labels):
    # The parser is slow, and the page also lists the figures of all earlier tests.
    lines = [line for line in told if name in line]
    for family in text_string_to_metric_families("\n".join(lines)):
        for sample in family.samples:
            if sample.name == name and labels.items() <= sample.labels.items():
                return sample.value
    return None


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer wrong", TOKEN, f"Basic {TOKEN}", "Bearer ñ"]
)
def test_metrics_are_for_whoever_has_the_token(client, given):
    response = client.get("/metrics", headers={"Authorization": given})

    assert (response.status_code, response.content) == (401, b"")
    assert response["WWW-Authenticate"] == "Bearer"


def test_without_a_token_there_is_no_such_page(client, settings):
    settings.METRICS_TOKEN = ""

    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_figures_that_nobody_shares_are_warned_of(settings):
    settings.METRICS_DIRECTORY = ""
    assert "bookings.W003" in [warning.id for warning in check_settings(None)]
    settings.METRICS_DIRECTORY = "/run/classes/metrics"
    assert "bookings.W003" not in [warning.id for warning in check_settings(None)]
    settings.METRICS_TOKEN = settings.METRICS_DIRECTORY = ""
    assert "bookings.W003" not in [warning.id for warning in check_settings(None)]


def test_metrics_cost_the_same_however_much_there_is(client, django_assert_num_queries):
    VirtualClassFactory.create_batch(3, scheduled=True)

    with django_assert_num_queries(len(QUEUES) + 5):
        ask(client)


def test_classes_are_told_by_state_and_type(scrape):
    VirtualClassFactory.create_batch(2, scheduled=True)
    VirtualClassFactory(start_time=timezone.now() - timedelta(days=8), end_time=timezone.now())

    read = scrape()
    scheduled = sum(
        read("classes_by_state", state="scheduled", type=kind) for kind in ("individual", "grupal")
    )
    assert scheduled == 2
    assert read("classes_by_state", state="pending", type="individual") == 0


def test_oldest_scheduling_that_waits(scrape):
    asked = timezone.now() - timedelta(minutes=7)
    VirtualClassFactory(scheduling_requested_at=asked)
    VirtualClassFactory(scheduling_requested_at=timezone.now())

    read = scrape()
    assert read("classes_queue_length", queue="schedulings") == 2
    assert 420 <= read("classes_queue_oldest_seconds", queue="schedulings") < 450


def test_sweeps_and_grant(scrape, teacher):
    read = scrape()
    assert read("classes_sweep_late", sweep="send_due_notices") == 1
    assert read("classes_sweep_age_seconds", sweep="send_due_notices") is None
    assert read("classes_calendar_connected") == 1
    teacher.provider_token_revoked_at = timezone.now()
    teacher.save()
    assert scrape()("classes_calendar_connected") == 0


def test_refused_service_account_is_no_connection(read, db, settings):
    settings.CALENDAR_SERVICE_ACCOUNT = {"type": "service_account"}
    assert read("classes_calendar_connected") == 1
    note_refused_account()
    assert read("classes_calendar_connected") == 0


def test_database_that_fails_is_a_figure(client):
    with failing():
        response = ask(client)

    assert response.status_code == 200
    assert "classes_database_up 0.0" in response.text
    assert "classes_http_request_seconds" in response.text
    assert SECRET not in response.text


def test_calls_to_the_calendar_are_counted_by_outcome(teacher, google, settings):
    def seconds(outcome):
        return CALENDAR_SECONDS.labels("calendar.events.list", outcome)._sum.get()

    CALENDAR_SECONDS.clear()
    check_calendar_grant()
    assert seconds("ok") > 0
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.5)
    google.fault("events.list", *[Fault.status(500)] * 9)
    check_calendar_grant()
    assert seconds("unavailable") > 0


@pytest.mark.parametrize(
    ("method", "url", "operation"),
    [
        ("GET", "https://mp.example/v1/payments/123", "GET /v1/payments/:id"),
        (
            "POST",
            "https://mp.example/v1/payments/12/refunds/34",
            "POST /v1/payments/:id/refunds/:id",
        ),
        ("GET", "https://mp.example/merchant_orders/search?x=1", "GET /merchant_orders/search"),
        ("POST", "https://mp.example/checkout/preferences/", "POST /checkout/preferences/"),
    ],
)
def test_call_to_the_payment_provider_is_named_without_ids(method, url, operation):
    assert name_operation(method, url) == operation


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [(None, "ok"), (Fault.status(403), "refused"), (Fault.drop(), "unavailable")],
)
def test_calls_to_the_payment_provider_are_counted(mercadopago, fault, outcome):
    PAYMENT_SECONDS.clear()
    if fault:
        mercadopago.fault("payments.get", *[fault] * 9)

    with suppress(PaymentError):
        MercadoPagoGateway().get_charge("123")

    operation = "GET /v1/payments/:id"
    assert PAYMENT_SECONDS.labels(operation, outcome)._sum.get() > 0


# --- Calls to identity providers ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (0, "unavailable"),
        (200, "ok"),
        (302, "ok"),
        (401, "refused"),
        (404, "refused"),
        (429, "unavailable"),
        (500, "unavailable"),
        (503, "unavailable"),
    ],
)
def test_an_answer_has_an_outcome(status, outcome):
    assert outcome_of(status) == outcome


def test_a_failure_may_be_a_usual_answer():
    assert outcome_of(404, usual=(404,)) == "ok"
    assert outcome_of(403, usual=(404,)) == "refused"


def test_a_call_to_an_identity_provider_without_an_answer_is_counted():
    session = requests.Session()
    session.mount("http://", TimedAdapter())
    counted = SECONDS.labels("127.0.0.1", "unavailable")
    before = counted._sum.get()

    with pytest.raises(requests.ConnectionError):
        session.get("http://127.0.0.1:1/token")

    assert counted._sum.get() > before
