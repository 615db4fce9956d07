"""FIELD_KEYS that are lost for good: docs/operations.md says the way back, and it is one."""

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from bookings.domain.calendar.grant import check_calendar_grant
from bookings.models import WebhookEndpoint
from bookings.webhooks.endpoints import reveal_secret
from tests.accounts.flows import sign_in
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.environment import TEACHER_EMAIL

TOKEN = "a-token-of-some-length"

pytestmark = pytest.mark.django_db


@pytest.fixture
def lost(google, settings):
    """A grant and a receiver's secret under a key that is gone."""
    settings.METRICS_TOKEN = TOKEN
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]
    google.add_person(email=TEACHER_EMAIL, name="Paula Profe")
    sign_in(Client(), "google", TEACHER_EMAIL)
    WebhookEndpointFactory(secret="whsec_old")
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]


@pytest.fixture
def calm(client):
    """A browser: it is shown an error and does not raise it."""
    client.raise_request_exception = False
    return client


def test_probes_say_that_the_grant_is_unreadable(lost, client):
    """A balancer must not take the web away for it, nor may every figure go missing."""
    ready = client.get("/readyz")
    figures = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})

    assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
    assert ready.json()["calendar"] == "unreadable"
    assert figures.status_code == 200
    assert "classes_calendar_connected 0.0" in figures.text
    assert "classes_database_up 1.0" in figures.text


def test_the_documented_way_back_is_one(lost, calm, capsys):
    assert sign_in(calm, "google", TEACHER_EMAIL).status_code == 500
    with pytest.raises(CommandError, match="2 cannot be read"):
        call_command("rotate_keys")

    call_command("rotate_keys", "--forget-unreadable")

    assert "Forgotten: 2." in capsys.readouterr().out
    assert calm.get("/readyz").json()["calendar"] == "not_connected"
    assert sign_in(calm, "google", TEACHER_EMAIL).status_code == 302
    sign_in(calm, "google", TEACHER_EMAIL, process="calendar")
    assert check_calendar_grant() == 1
    endpoint = WebhookEndpoint.objects.get()
    shown = calm.post(reverse("admin:bookings_webhookendpoint_secret", args=[endpoint.pk]))
    assert endpoint.secret in shown.content.decode()


def test_receiver_has_a_new_secret_that_is_shown_once(lost):
    call_command("rotate_keys", "--forget-unreadable")

    endpoint = WebhookEndpoint.objects.get()
    assert endpoint.is_active
    assert endpoint.secret.startswith("whsec_")
    assert endpoint.secret != "whsec_old"
    assert reveal_secret(endpoint) == endpoint.secret


def test_what_can_be_read_is_kept(lost, student):
    student.provider_refresh_token = "readable"
    student.save()
    kept = WebhookEndpointFactory()

    call_command("rotate_keys", "--forget-unreadable")

    assert User.objects.get(pk=student.pk).provider_refresh_token == "readable"
    assert WebhookEndpoint.objects.get(pk=kept.pk).secret == kept.secret
