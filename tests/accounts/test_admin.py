"""The list of people in the teacher's panel."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.panel.steps import carry_out_several

pytestmark = pytest.mark.django_db

LIST = "/admin/accounts/user/"
SETTINGS = {"location": "Rosario", "level": "basico", "phone": "341", "newsletter": "si"}


@pytest.fixture
def panel(teacher) -> Client:
    """Give the teacher's client."""
    client = Client()
    client.force_login(teacher)
    return client


def run(panel: Client, action: str, *people: User):
    """Run an action on people."""
    return carry_out_several(panel, people, action)


def test_list_shows_and_finds_people(panel, student, host):
    everybody = panel.get(LIST).content.decode()
    found = panel.get(LIST, {"q": "bruno"}).content.decode()

    assert student.email in everybody
    assert host.email in everybody
    assert host.email not in found


def test_person_s_page_shows_no_grant(panel, teacher):
    response = panel.get(f"{LIST}{teacher.pk}/change/")

    assert response.status_code == 200
    assert teacher.provider_refresh_token not in response.content.decode()
    assert "provider_" not in response.content.decode()


def test_settings_can_be_corrected_and_nothing_else(panel, student):
    forbidden = {"email": "x@example.com", "is_superuser": "on", "total_classes": "9"}

    panel.post(f"{LIST}{student.pk}/change/", {**SETTINGS, **forbidden})

    student.refresh_from_db()
    assert {name: getattr(student, name) for name in SETTINGS} == SETTINGS
    assert (student.email, student.is_superuser, student.total_classes) == (
        "bruno@example.com",
        False,
        0,
    )


def test_suspending_spares_administrators(panel, teacher):
    run(panel, "suspender", teacher)

    teacher.refresh_from_db()
    assert teacher.status == "active"
    assert panel.get(LIST).status_code == 200


@pytest.mark.parametrize("path", ["add/", "delete"])
def test_people_are_neither_added_nor_deleted_by_hand(panel, student, path):
    address = f"{LIST}add/" if path == "add/" else f"{LIST}{student.pk}/delete/"

    assert panel.get(address).status_code == 403


def test_list_costs_the_same_for_more_people(panel, django_assert_max_num_queries):
    User.objects.bulk_create(User(email=f"p{n}@example.com") for n in range(30))

    with django_assert_max_num_queries(6):
        panel.get(LIST)


def test_allauth_s_own_tables_stay_out_of_the_panel():
    registered = {model._meta.label for model in admin.site._registry}

    assert not {
        name for name in registered if name.startswith(("account.", "socialaccount.", "auth."))
    }
    assert reverse("admin:accounts_user_changelist") == LIST
