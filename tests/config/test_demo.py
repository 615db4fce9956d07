"""The demo, as a visitor meets it: the product's own pages, errors and files."""

import re
from collections import Counter

import pytest
import requests
from django.core.management import CommandError, call_command

from accounts.models import User
from bookings.domain.money.takings import list_recent_months
from bookings.models import Payment
from tests.demo.management.commands.seed_demo import Command as SeedDemo
from tests.demo.people import TEACHER
from tests.processes import web_server

# Without a table: whatever asks for a row is a bug that a visitor could meet.
DEMO = {"DEMO": "true", "DEBUG": "false", "DATABASE_URL": "sqlite://:memory:"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The demo's web server, without its data."""
    with web_server(tmp_path_factory.mktemp("demo"), **DEMO) as server:
        yield server


def get(server, path):
    return requests.get(server.url + path, timeout=20)


def test_bug_of_a_page_is_the_product_s_own(server):
    response = get(server, "/")

    assert response.status_code == 500
    assert "Algo salió mal de nuestro lado" in response.text
    assert "no such table" not in response.text


def test_bug_of_the_api_is_json(server):
    response = requests.post(f"{server.url}/api/calendar", json={"preferenceId": "x"}, timeout=20)

    assert (response.status_code, response.json()) == (
        500,
        {"error": "Failed to create calendar event"},
    )


def test_style_sheets_arrive_without_collectstatic(server):
    page = get(server, "/inicio").text

    sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
    assert sheets
    assert {get(server, sheet).status_code for sheet in sheets} == {200}


@pytest.mark.django_db
def test_seed_has_no_place_in_a_real_database(settings):
    settings.DEMO = False

    with pytest.raises(CommandError, match="no place in a real database"):
        call_command(SeedDemo(), "--refresh-token", "token")

    assert not User.objects.exists()


@pytest.mark.django_db
def test_seeded_payments_are_the_provider_s_too(settings, google, mercadopago):
    settings.DEMO, settings.ADMIN_EMAIL = True, TEACHER.email
    token = google.grant(TEACHER.email)

    call_command(SeedDemo(), "--refresh-token", token)

    paid = Payment.objects.exclude(approved_at=None).values_list("status", flat=True)
    assert Counter(paid) == {"approved": 4, "partially_refunded": 1, "disputed": 1}
    theirs = Counter(payment["status_detail"] for payment in mercadopago.payments)
    assert theirs == {"accredited": 4, "partially_refunded": 1, "in_mediation": 1}
    assert list_recent_months(2)[1].received >= 2 * 1_500_000
