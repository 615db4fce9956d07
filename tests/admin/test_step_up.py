"""What moves money or data out of the panel wants a fresh sign-in."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from accounts.models import User, UserStatus
from bookings.domain.settling import settle
from bookings.models import Refund, WebhookEndpoint
from tests.accounts.flows import sign_in as go_through_google
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.environment import TEACHER_EMAIL
from tests.payments import make_payment

pytestmark = pytest.mark.django_db

ELEVEN_MINUTES = timedelta(minutes=11)
EXPORT = "/admin/bookings/payment/exportar/"


@pytest.fixture
def stale(google, client, time_machine):
    """The teacher's client, eleven minutes after she signed in."""
    time_machine.move_to("2026-11-20T15:00:00Z", tick=False)
    go_through_google(client, "google", TEACHER_EMAIL)
    time_machine.shift(ELEVEN_MINUTES)
    return client


def asked_for(response) -> str | None:
    """Return the page to come back to, if the answer asks for a fresh sign-in."""
    parts = urlsplit(response.get("Location", ""))
    if (response.status_code, parts.path) != (303, "/inicio/confirmar"):
        return None
    return parse_qs(parts.query)["next"][0]


def test_export_of_payments_wants_a_fresh_sign_in(stale):
    refused = stale.get(f"{EXPORT}?status=approved")
    back = go_through_google(
        stale, "google", TEACHER_EMAIL, process="confirm", callbackUrl=asked_for(refused)
    )

    assert asked_for(refused) == f"{EXPORT}?status=approved"
    assert back["Location"] == f"{EXPORT}?status=approved"
    assert stale.get(EXPORT)["Content-Type"].startswith("text/csv")


@pytest.mark.parametrize("page", ["export", "erase"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_person_s_data_wants_a_fresh_sign_in(stale, student, page, method):
    address = reverse(f"admin:accounts_user_{page}", args=[student.pk])

    response = getattr(stale, method)(address, headers={"referer": f"http://testserver{address}"})

    assert asked_for(response) == address
    assert User.objects.get(pk=student.pk).status == UserStatus.ACTIVE
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("button", ["_refund_all", "_refund_part"])
def test_refund_wants_a_fresh_sign_in(stale, mercadopago, host, button):
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    address = reverse("admin:bookings_payment_change", args=[payment.pk])

    response = stale.post(
        address, {button: "1"}, headers={"referer": f"http://testserver{address}"}
    )

    assert asked_for(response) == address
    assert not Refund.objects.exists()
    assert not LogEntry.objects.exists()
    assert stale.get(address).status_code == 200


@pytest.mark.parametrize("word", ["secret", "rotate"])
def test_webhook_secret_wants_a_fresh_sign_in(stale, word):
    endpoint = WebhookEndpointFactory(secret_shown_at=None)
    address = reverse(f"admin:bookings_webhookendpoint_{word}", args=[endpoint.pk])
    page = reverse("admin:bookings_webhookendpoint_change", args=[endpoint.pk])

    response = stale.post(address, headers={"referer": f"http://testserver{page}"})

    assert asked_for(response) == page
    kept = WebhookEndpoint.objects.get()
    assert (kept.secret, kept.secret_shown_at) == (endpoint.secret, endpoint.secret_shown_at)


def test_without_a_referer_the_way_back_is_inicio(stale):
    endpoint = WebhookEndpointFactory(secret_shown_at=None)

    response = stale.post(reverse("admin:bookings_webhookendpoint_secret", args=[endpoint.pk]))

    assert asked_for(response) == "/inicio"


def test_page_offers_only_the_identity_of_the_panel(stale):
    page = stale.get("/inicio/confirmar?next=https://evil.example").content.decode()

    assert "Confirmá que sos vos" in page
    assert 'name="process" value="confirm"' in page
    assert "/api/auth/signin/google" in page
    assert "/api/auth/signin/github" not in page
    assert 'value="/inicio"' in page
