"""Who did what in the panel stands in a list that nobody can edit."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from bookings.webhooks.endpoints import record_test_event
from tests.factories import PaymentFactory
from tests.panel.steps import carry_out_several

LIST = "/admin/admin/logentry/"


def noted():
    """Give the lines, oldest first: by whom, about what, and what was done."""
    lines = LogEntry.objects.order_by("pk").select_related("user")
    return [(line.user.email, line.object_repr, line.get_change_message()) for line in lines]


def run_action(panel, page, action, *rows):
    data = {"action": action, "_selected_action": [str(row.pk) for row in rows]}
    return panel.post(reverse(f"admin:{page}_changelist"), data)


def test_step_for_several_leaves_a_line_each(panel, teacher, student, stranger):
    carry_out_several(panel, [student, stranger], "suspender")

    assert sorted(noted()) == [
        (teacher.email, "Bruno Student", "Suspender"),
        (teacher.email, "Carla Stranger", "Suspender"),
    ]


@pytest.mark.parametrize(
    ("page", "done"),
    [
        ("webhookendpoint_test", "Enviar una prueba"),
        ("webhookendpoint_rotate", "Cambiar el secreto"),
        ("webhookdelivery_again", "Entregar de nuevo"),
        ("payment_review", "Ya lo revisé"),
        ("closure_import", "Importar feriados de Argentina"),
        ("weeklyhours_changelist", "Guardar la semana"),
    ],
)
def test_action_without_confirmation_leaves_a_line(panel, teacher, student, endpoint, page, done):
    rows = {
        "webhookendpoint": endpoint,
        "webhookdelivery": record_test_event(endpoint),
        "payment": PaymentFactory(review="dispute"),
    }
    row = rows.get(page.partition("_")[0])

    address = reverse(f"admin:bookings_{page}", args=[row.pk] if row else [])
    response = panel.post(address, {"0-0-start": "09:00", "0-0-end": "12:00"})

    line = LogEntry.objects.get()
    assert (response.status_code, line.user, line.get_change_message()) == (302, teacher, done)
    assert line.object_id == (str(row.pk) if row else None)
    assert line.object_repr in {str(row), "cierres y feriados", "horarios semanales"}


def test_list_shows_the_lines_and_takes_nothing(panel, student):
    carry_out_several(panel, [student], "suspender")
    line = LogEntry.objects.get()

    page = panel.get(LIST).content.decode()

    assert "Bruno Student" in page
    assert "Suspender" in page
    for address in (f"{LIST}add/", f"{LIST}{line.pk}/delete/"):
        assert panel.post(address, {"post": "yes"}).status_code == 403
    assert panel.post(f"{LIST}{line.pk}/change/", {"object_repr": "x"}).status_code == 403
    run_action(panel, "admin_logentry", "delete_selected", line)
    assert LogEntry.objects.filter(pk=line.pk, object_repr="Bruno Student").exists()
