"""The teacher's panel."""

import re
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.urls import reverse

from bookings.models import ClassStatus, VirtualClass
from calendar_sync import backend
from tests.accounts.flows import session_of
from tests.factories import VirtualClassFactory
from tests.panel.steps import confirm


def text_of(response) -> str:
    """Give what a page says, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", "", response.content.decode()).split())


def change_page(virtual_class: VirtualClass) -> str:
    return reverse("admin:class_sheet", args=[virtual_class.pk])


def test_a_pending_class_offers_its_next_steps(teacher, sign_in):
    page = sign_in(teacher).get(change_page(VirtualClassFactory()))

    assert [step.label for step, _ in page.context["steps"]] == [
        "Marcar como pagada y agendar",
        "Agendar en el calendario",
        "Cancelar la clase",
    ]
    assert "_save" not in page.content.decode()


def test_a_completed_class_offers_none(teacher, sign_in):
    completed = VirtualClassFactory(scheduled=True, ended=True)
    VirtualClass.objects.update(status=ClassStatus.COMPLETED)

    page = sign_in(teacher).get(change_page(completed))

    assert page.context["steps"] == []
    assert "_save" not in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_a_step_calls_the_calendar(teacher, sign_in, monkeypatch):
    pending, seen = VirtualClassFactory(), []
    real = backend.get_calendar

    def get_calendar(**arguments):
        seen.append(connection.in_atomic_block)
        return real(**arguments)

    monkeypatch.setattr(backend, "get_calendar", get_calendar)
    confirm(sign_in(teacher), pending, "pagada")

    pending.refresh_from_db()
    assert (seen, pending.status) == ([False], ClassStatus.SCHEDULED)


def test_the_calendar_page_tells_since_when_it_is_connected(teacher, sign_in):
    teacher.provider_token_saved_at = datetime(2026, 3, 5, 15, 30, tzinfo=UTC)
    teacher.save()

    page = text_of(sign_in(teacher).get(reverse("admin:calendar")))

    assert "Diste el permiso el 5 de marzo de 2026." in page


def test_the_calendar_page_tells_a_revoked_grant_and_since_when(
    teacher, sign_in, google, time_machine
):
    google.revoke(teacher.provider_refresh_token)

    time_machine.move_to(datetime(2026, 11, 21, 1, 5, tzinfo=UTC))
    sign_in(teacher).get(reverse("admin:calendar"))
    time_machine.move_to(datetime(2026, 11, 22, 12, 0, tzinfo=UTC))
    page = text_of(sign_in(teacher).get(reverse("admin:calendar")))

    assert "Google ya no acepta la conexión" in page
    assert "Lo supimos el 20 de noviembre a las 22:05." in page


def test_the_calendar_page_tells_a_refused_service_account(teacher, sign_in, settings):
    settings.CALENDAR_SERVICE_ACCOUNT = {"client_email": "robot@example.com", "private_key": "none"}
    teacher.provider_refresh_token = ""
    teacher.save()

    page = text_of(sign_in(teacher).get(reverse("admin:calendar")))

    assert "Google no acepta la cuenta de servicio" in page
    assert "Todavía no hay un calendario" not in page


def test_the_panel_s_button_signs_out(teacher, sign_in):
    client = sign_in(teacher)

    response = client.post(reverse("admin:logout"))

    assert (response.status_code, response["Location"]) == (302, "/")
    assert session_of(client) == {}


@pytest.mark.parametrize("method", ["get", "head", "put"])
@pytest.mark.parametrize("site", ["cross-site", "same-origin", "none"])
def test_a_link_to_the_panel_s_way_out_asks_first(teacher, sign_in, method, site):
    client = sign_in(teacher)
    headers = {"sec-fetch-site": site}

    response = getattr(client, method)(reverse("admin:logout"), headers=headers)
    question = client.get(response["Location"], headers=headers)

    assert "¿Querés cerrar tu sesión?" in question.content.decode()
    assert session_of(client)["user"]["email"] == teacher.email
