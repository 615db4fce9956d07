"""The panel's technical page shows whether the service works or needs the teacher."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from bookings.models import CALENDAR, Heartbeat
from bookings.templatetags.page_parts import NAMES
from bookings.work.health import load_service_state
from bookings.work.sweeps import SWEEPS
from tests.factories import VirtualClassFactory
from tests.panel.moments import NOW

MINUTE = timedelta(minutes=1)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.fixture
def look(panel):
    """Open the page and read what it says of the service; first its colour."""

    def open_index(client=panel) -> str:
        page = client.get(reverse("admin:technical")).content.decode()
        section = re.search(r'<section class="service.*?</section>', page, re.DOTALL).group()
        return re.sub(r"\s+", " ", re.sub(r"<(?!section|form|input)[^>]+>", " ", section))

    return open_index


@pytest.fixture
def beating():
    """Every sweep ended well two minutes ago."""
    Heartbeat.objects.bulk_create(
        Heartbeat(name=run.__name__, beat_at=NOW - 2 * MINUTE) for run in SWEEPS
    )


@pytest.mark.usefixtures("beating")
def test_service_that_works_is_green(look):
    text = look()

    assert "service-green" in text
    assert "Todo anda bien" in text
    assert "Última señal del trabajo automático: a las 11:58." in text
    assert "Ninguna clase espera" in text


def test_worker_that_never_ran_is_red(look):
    text = look()

    assert "service-red" in text
    assert "no empezó nunca" in text
    assert "manage.py worker" in text


@pytest.mark.usefixtures("beating")
def test_stopped_worker_is_red_and_says_since_when(look):
    Heartbeat.objects.update(beat_at=NOW - 60 * MINUTE)

    text = look()

    assert "service-red" in text
    assert "El trabajo automático está parado." in text
    assert "lunes 16 de noviembre a las 11:00" in text


@pytest.mark.usefixtures("beating")
def test_sweep_that_failed_is_amber_and_named(look):
    Heartbeat.objects.filter(name="send_due_notices").update(failure="OSError")

    text = look()

    assert "service-amber" in text
    assert "enviar correos (OSError)" in text


@pytest.mark.usefixtures("beating")
def test_revoked_grant_is_red_with_the_way_back(look, teacher):
    teacher.provider_token_revoked_at = NOW - 60 * MINUTE
    teacher.save()

    text = look()

    assert "service-red" in text
    assert "Google ya no acepta el permiso de tu calendario" in text
    assert '<input type="hidden" name="process" value="calendar">' in text
    assert "Reconectar el calendario" in text


@pytest.mark.usefixtures("beating")
def test_outage_is_amber_and_asks_nothing_of_her(look):
    Heartbeat.objects.create(
        name=CALENDAR, failed_at=NOW - 90 * MINUTE, paused_until=NOW + MINUTE, count=4
    )
    VirtualClassFactory(scheduling_requested_at=NOW - 30 * MINUTE)

    text = look()

    assert "service-amber" in text
    assert "Google no responde" in text
    assert "a las 10:30" in text
    assert "1 clase espera su lugar en el calendario, la primera desde el" in text


@pytest.mark.usefixtures("beating")
@pytest.mark.parametrize(
    ("days", "colour"), [(2, "green"), (6, "amber"), (8, "green")], ids=["new", "old", "lasting"]
)
def test_age_of_the_grant_is_shown_and_warned_of(look, teacher, days, colour):
    teacher.provider_token_saved_at = NOW - timedelta(days=days)
    teacher.save()

    text = look()

    assert f"service-{colour}" in text
    assert ("puede vencer pronto" in text) == (colour == "amber")
    assert "Permiso del calendario: dado hace" in text


@pytest.mark.usefixtures("beating")
def test_first_page_has_a_dot_with_words_that_leads_to_the_state(panel):
    for changes, colour, words in (
        ({"failure": ""}, "green", "Todo anda bien"),
        ({"failure": "OSError"}, "amber", "Anda, con un aviso"),
        ({"beat_at": NOW - 60 * MINUTE}, "red", "El sitio necesita ayuda"),
    ):
        Heartbeat.objects.filter(name="send_due_notices").update(**changes)
        page = panel.get(reverse("admin:index")).content.decode()
        dot = re.search(r'<a class="service-dot.*?</a>', page, re.DOTALL).group()
        assert f"service-dot-{colour}" in dot
        assert f'href="{reverse("admin:technical")}"' in dot
        assert words in dot


@pytest.mark.usefixtures("beating", "teacher")
def test_state_costs_three_queries_however_many_wait(django_assert_num_queries):
    for day in range(3):
        VirtualClassFactory(scheduling_requested_at=NOW, start_time=NOW + timedelta(days=day + 1))

    with django_assert_num_queries(3):
        assert load_service_state()["waiting"] == 3


def test_each_sweep_has_a_name_for_people():
    assert {run.__name__ for run in SWEEPS} <= NAMES.keys()
