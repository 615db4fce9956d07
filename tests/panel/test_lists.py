"""The frame of the panel's lists, its history, times that students hold, and mails."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from bookings.models import Hold, Notice, NoticeKind, NoticeState
from bookings.webhooks.endpoints import record_test_event
from tests.factories import HoldFactory, PaymentFactory, UserFactory, VirtualClassFactory
from tests.panel.moments import NOW, at
from tests.panel.steps import carry_out_several, confirm_several

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


TABS = re.compile(r'<nav class="tabs".*?</nav>', re.DOTALL)


def tabs_of(response) -> list[str]:
    tabs = TABS.search(response.content.decode()).group()
    return re.findall(r"<span>(\w+)</span>", tabs)


@pytest.mark.parametrize("name", ["index", "money", "more"])
def test_tab_of_the_page_is_marked(panel, name):
    tabs = TABS.search(panel.get(reverse(f"admin:{name}")).content.decode()).group()

    current = re.findall(r'href="([^"]+)"\s+aria-current="page"', tabs)

    assert current == [reverse(f"admin:{name}")]


def test_staff_without_rights_has_the_tabs_that_answer(host, sign_in):
    host.is_staff = True
    host.save()

    assert tabs_of(sign_in(host).get(reverse("admin:index"))) == ["Hoy", "Más"]


def test_filters_of_a_list_are_folded_and_say_when_they_are_in_use(panel):
    VirtualClassFactory()
    address = reverse("admin:bookings_virtualclass_changelist")

    usual = panel.get(address).content.decode()
    filtered = panel.get(f"{address}?pagada=si").content.decode()

    assert re.search(r"<details>\s*<summary>Filtros</summary>", usual)
    assert "Quitar los filtros" not in usual
    assert "<summary>Filtros elegidos</summary>" in filtered
    assert "Quitar los filtros" in filtered
    assert "No hay nada acá con lo que elegiste." in filtered


# --- Times that students hold ---------------------------------------------------------------------


HOLDS = reverse("admin:bookings_hold_changelist")


@pytest.fixture
def hold(host) -> Hold:
    """Ana's hold of today, 15:00."""
    return HoldFactory(
        user=host,
        start_time=at("15:00"),
        end_time=at("16:00"),
        class_type="grupal",
        expires_at=NOW + timedelta(minutes=5),
    )


def release(client, hold):
    return confirm_several(client, [hold], "liberar")


def test_a_live_hold_is_listed(panel, hold):
    page = panel.get(HOLDS).content.decode()

    assert "lun 16 nov · 15:00 a 16:00" in page
    assert "Ana Host" in page


def test_a_hold_that_is_over_is_not(panel, hold):
    Hold.objects.update(expires_at=NOW)

    assert "Ana Host" not in panel.get(HOLDS).content.decode()


def test_a_hold_that_is_being_paid_stays(panel, hold):
    until = {"kept_until": hold.expires_at, "start_time": hold.start_time}
    hold.purchase = VirtualClassFactory(booked_by=hold.user, **until).purchase
    hold.expires_at = None
    hold.save()

    page = release(panel, hold).content.decode()

    assert "cancelá la clase" in page
    assert Hold.objects.get() == hold


# --- Mails ----------------------------------------------------------------------------------------


MAILS = "admin:bookings_notice_changelist"


@pytest.fixture
def notices(host):
    """A mail in each state."""
    now, later = timezone.now(), timezone.now() + timedelta(hours=1)
    virtual_class = VirtualClassFactory(booked_by=host)
    changes = {
        NoticeState.PLANNED: {"due_at": later, "next_attempt_at": later},
        NoticeState.DUE: {},
        NoticeState.SENT: {"sent_at": now, "next_attempt_at": None},
        NoticeState.FAILED: {"failure": "SMTPDataError 554", "next_attempt_at": None},
    }
    return {
        state: Notice.objects.create(
            virtual_class=virtual_class, user=UserFactory(), kind=NoticeKind.JOINED, **values
        )
        for state, values in changes.items()
    }


@pytest.mark.parametrize("state", NoticeState)
def test_the_list_is_parted_by_state(notices, teacher, sign_in, state):
    response = sign_in(teacher).get(reverse(MAILS), {"estado": state.value})

    assert list(response.context["cl"].queryset) == [notices[state]]
    assert notices[state].state == state


def test_the_list_leaves_out_what_is_planned_until_asked(notices, teacher, sign_in):
    response = sign_in(teacher).get(reverse(MAILS))

    shown = set(response.context["cl"].queryset)
    assert shown == {notice for state, notice in notices.items() if state != NoticeState.PLANNED}
    assert "Hasta ahora" in response.content.decode()


def test_the_teacher_sends_mails_again(notices, teacher, sign_in):
    confirm_several(sign_in(teacher), list(notices.values()), "enviar")

    # One that is planned is not on the list, and keeps its time.
    assert [notices[NoticeState.PLANNED].pk] == [
        notice.pk for notice in Notice.objects.all() if notice.state != NoticeState.DUE
    ]


def test_the_list_costs_the_same_for_more_mails(
    notices, teacher, sign_in, django_assert_max_num_queries
):
    client = sign_in(teacher)

    with django_assert_max_num_queries(5):
        client.get(reverse(MAILS))


# --- Who did what stands in a list that nobody can edit -------------------------------------------


HISTORY = "/admin/admin/logentry/"


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

    page = panel.get(HISTORY).content.decode()

    assert "Bruno Student" in page
    assert "Suspender" in page
    for address in (f"{HISTORY}add/", f"{HISTORY}{line.pk}/delete/"):
        assert panel.post(address, {"post": "yes"}).status_code == 403
    assert panel.post(f"{HISTORY}{line.pk}/change/", {"object_repr": "x"}).status_code == 403
    run_action(panel, "admin_logentry", "delete_selected", line)
    assert LogEntry.objects.filter(pk=line.pk, object_repr="Bruno Student").exists()
