"""The demo: its pages, ports, folder and data."""

import re
import socket
from collections import Counter

import pytest
import requests
from django.core.management import CommandError, call_command

from accounts.models import User
from bookings.domain.money.takings import list_recent_months
from bookings.models import Payment
from tests.demo.folder import empty_folder
from tests.demo.management.commands.seed_demo import Command as SeedDemo
from tests.demo.people import TEACHER
from tests.demo.ports import OFFSETS, choose_ports, listen
from tests.processes import web_server
from tests.standins.mail import MailStandin

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


@pytest.fixture
def web():
    with listen(0) as listener:
        yield listener


@pytest.fixture
def busy():
    """A port that another program listens on."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_each_part_has_a_port_of_its_own(web):
    ports = choose_ports(web)

    assert ports.web == web.getsockname()[1]
    assert len({getattr(ports, name) for name in OFFSETS} | {ports.web, ports.smtp}) == 7


def test_site_and_standins_are_reached_from_this_machine_only(web):
    with MailStandin() as mail:
        for port in (web.getsockname()[1], int(mail.url.rpartition(":")[2])):
            # Taken if a program listened on more than 127.0.0.1.
            socket.create_server(("127.0.0.2", port)).close()


def test_busy_port_of_a_standin_is_replaced(monkeypatch, web, busy):
    monkeypatch.setitem(OFFSETS, "google", busy - web.getsockname()[1])

    assert choose_ports(web).google not in {busy, 0}


def test_busy_site_port_is_refused_with_a_way_out(busy):
    with pytest.raises(CommandError, match=r"make run ARGS=--port=9000"):
        listen(busy)


def test_folder_loses_what_an_earlier_demo_left_and_nothing_else(tmp_path):
    for name in ("db.sqlite3", "db.sqlite3-wal", "mine.txt"):
        (tmp_path / name).touch()
    (tmp_path / "correos").mkdir()
    (tmp_path / "correos" / "001.eml").touch()

    with empty_folder(tmp_path):
        left = {file.name for file in tmp_path.iterdir()}

    assert left == {"lock", "mine.txt", "correos"}
    assert not list((tmp_path / "correos").iterdir())


def test_folder_is_one_demos_at_a_time(tmp_path):
    with empty_folder(tmp_path):
        (tmp_path / "db.sqlite3").touch()
        with pytest.raises(CommandError, match="Another demo is running"), empty_folder(tmp_path):
            pass
        assert (tmp_path / "db.sqlite3").exists()

    with empty_folder(tmp_path):
        pass
