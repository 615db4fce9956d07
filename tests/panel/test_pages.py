"""Every page of the teacher's panel, the page of her calendar, and the way out."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import connection
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils import timezone

from bookings.models import ClassStatus, WaitingListEntry
from bookings.panel.urls import urlpatterns
from calendar_sync import backend
from tests.accounts.flows import session_of
from tests.factories import VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.steps import confirm

pytestmark = pytest.mark.django_db


LISTS = [
    f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    for model in admin.site._registry
]
PAGES = [
    *(
        "admin:hours",
        "admin:week",
        "admin:money",
        "admin:technical",
        "admin:students",
        "admin:book_for",
    ),
    *("admin:prices", "admin:offers", "admin:new_offer", "admin:open_classes", "admin:publish"),
    *("admin:returns", "admin:transfers", "admin:transfer_account", "admin:hours"),
    *("admin:teacher_page", "admin:start"),
    *("admin:bookings_payment_months", "admin:bookings_payment_export"),
]
FORMS = [f"admin:bookings_{model}_add" for model in ("closure", "specialhours", "price")]


def answers_of(client, names):
    """Ask for pages by their names, or their addresses; give each one's status."""
    return {name: client.get(resolve_url(name), follow=True).status_code for name in names}


def links_on(panel, name):
    page = panel.get(reverse(f"admin:{name}")).content.decode()
    return re.findall(r'<li>\s*<a href="([^"]+)"', page)


def test_every_page_and_every_link_to_one_answers(panel):
    pages = {reverse(name) for name in [*LISTS, *PAGES, "admin:index", "admin:calendar", *FORMS]}
    more, technical = links_on(panel, "more"), links_on(panel, "technical")

    answers = answers_of(panel, pages | {*more, *technical})

    assert min(len(more), len(technical)) > 3
    assert technical.count(reverse("admin:admin_logentry_changelist")) == 1
    assert answers == dict.fromkeys(answers, 200)


def test_a_page_that_is_missing_says_so_in_the_teacher_s_frame(panel, sign_in, student):
    hers, his = (one.get("/admin/nada/") for one in (panel, sign_in(student)))

    assert hers.status_code == 404
    assert "esto ya no exista" in hers.text
    assert "Semana" in hers.text
    assert "esto ya no exista" not in his.text


def test_django_s_own_ways_in_lead_to_the_panel_s_pages(panel):
    assert panel.get("/admin/login/")["Location"] == reverse("admin:index")
    assert panel.get("/admin/bookings/")["Location"] == reverse("admin:technical")


FIELDS_WITH_ERRORS = {
    "publish": ({"title": ""}, "id_title_error"),
    "write": ({"subject": "", "text": ""}, "id_subject_error"),
    "week_day": ({"first_day": "", "last_day": ""}, "id_first_day_error"),
}


@pytest.mark.parametrize("name", FIELDS_WITH_ERRORS)
def test_an_error_stands_at_its_field(panel, host, name):
    row = VirtualClassFactory(scheduled=True, booked_by=host)
    sent, error = FIELDS_WITH_ERRORS[name]
    query = {"write": f"?clase={row.pk}", "week_day": f"?dia={timezone.localdate()}"}.get(name, "")

    page = panel.post(reverse(f"admin:{name}") + query, sent).text

    assert f'aria-describedby="{error}"' in page
    assert f'id="{error}"' in page


def test_a_page_of_our_own_refuses_other_methods(panel, teacher):
    answers = {}
    for page in urlpatterns:
        converters = page.pattern.converters.items()
        given = {name: 1 if one.regex == "[0-9]+" else teacher.pk for name, one in converters}
        address = reverse(f"admin:{page.name}", kwargs=given)
        answers[address] = panel.put(address).status_code

    assert answers == dict.fromkeys(answers, 405)


def test_staff_without_rights_sees_nothing(host, sign_in):
    host.is_staff = True
    host.save()

    answers = answers_of(sign_in(host), [*LISTS, *PAGES])

    assert answers == dict.fromkeys(answers, 403)


def test_a_student_sees_nothing(student, sign_in):
    answers = answers_of(sign_in(student), [*LISTS, *PAGES, "admin:index", "admin:more"])

    assert answers == dict.fromkeys(answers, 403)


@pytest.fixture
def looker(host, sign_in):
    """Staff who may look at everything, and change nothing."""
    host.is_staff = True
    host.save()
    host.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return sign_in(host)


def steps_on(client, name, *arguments):
    """Count what a page offers to do to a class, to a person, to a price."""
    page = client.get(reverse(f"admin:{name}", args=arguments)).content.decode()
    steps = r'name="absent"|/paso/|/datos.json|admin/precios/'
    return len(re.findall(steps, page))


def test_staff_who_may_only_look_is_offered_no_step_of_a_class(looker, teacher, sign_in, student):
    begun = timezone.now() - timedelta(minutes=5)
    group = VirtualClassFactory(scheduled=True, start_time=begun)
    WaitingListEntry.objects.create(virtual_class=group, user=student)

    offered = [steps_on(client, "class_sheet", group.pk) for client in (looker, sign_in(teacher))]

    # Marking a person, removing one from the line, moving, capacity, cancelling.
    assert offered == [0, 5]


def test_staff_who_may_only_look_is_offered_nobody_s_data(looker, teacher, sign_in, student):
    clients = (looker, sign_in(teacher))

    offered = [steps_on(client, "accounts_user_change", student.pk) for client in clients]

    assert offered == [0, 3]  # the export, suspending and erasing


WRITING = {
    "bookings_closure_import": [],
    "bookings_weeklyhours_changelist": [],
    "act_on_offer": [1],
    "book_for": [],
    "delete_offer": [1],
    "new_offer": [],
    "offer": [1],
    "prices": [],
    "publish": [],
    "teacher_page": [],
    "transfer_account": [],
    "teacher_page_preview": [],
    "week_day": [],
    "week_hour": [],
    "write": [],
}


def test_staff_who_may_only_look_gets_no_form_that_writes(looker):
    addresses = [reverse(f"admin:{name}", args=args) for name, args in WRITING.items()]

    answers = {address: looker.post(address).status_code for address in addresses}

    assert set(answers.values()) == {403}, answers


# --- Her calendar, and the way out ----------------------------------------------------------------


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

    page = plain_text_of(sign_in(teacher).get(reverse("admin:calendar")))

    assert "Diste el permiso el 5 de marzo de 2026" in page


def test_the_calendar_page_tells_a_revoked_grant_and_since_when(
    teacher, sign_in, google, time_machine
):
    google.revoke(teacher.provider_refresh_token)

    time_machine.move_to(datetime(2026, 11, 21, 1, 5, tzinfo=UTC))
    sign_in(teacher).get(reverse("admin:calendar"))
    time_machine.move_to(datetime(2026, 11, 22, 12, 0, tzinfo=UTC))
    page = plain_text_of(sign_in(teacher).get(reverse("admin:calendar")))

    assert "Google ya no acepta la conexión" in page
    assert "Lo supimos el 20 de noviembre a las 22:05" in page


def test_the_calendar_page_tells_a_refused_service_account(teacher, sign_in, settings):
    settings.CALENDAR_SERVICE_ACCOUNT = {"client_email": "robot@example.com", "private_key": "none"}
    teacher.provider_refresh_token = ""
    teacher.save()

    page = plain_text_of(sign_in(teacher).get(reverse("admin:calendar")))

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
