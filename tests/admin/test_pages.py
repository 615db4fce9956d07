"""Every page of the teacher's panel."""

import re
from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from bookings.models import Price, VirtualClass, WaitingListEntry
from bookings.panel.urls import urlpatterns
from tests.factories import UserFactory, VirtualClassFactory

pytestmark = pytest.mark.django_db

LISTS = [
    f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    for model in admin.site._registry
]
PAGES = ["admin:week", "admin:money", "admin:technical"]
FORMS = ["closure", "specialhours", "price", "discountcode"]


@pytest.mark.parametrize("name", [*LISTS, *PAGES, "admin:index", "admin:calendar", "admin:more"])
def test_a_page_answers(teacher, sign_in, name):
    assert sign_in(teacher).get(reverse(name), follow=True).status_code == 200


@pytest.mark.parametrize("page", urlpatterns, ids=lambda page: page.name)
def test_a_page_of_our_own_refuses_other_methods(teacher, sign_in, page):
    converters = page.pattern.converters
    given = {name: 1 if one.regex == "[0-9]+" else teacher.pk for name, one in converters.items()}

    response = sign_in(teacher).put(reverse(f"admin:{page.name}", kwargs=given))

    assert response.status_code == 405


@pytest.mark.parametrize("model", FORMS)
def test_an_empty_form_answers(teacher, sign_in, model):
    assert sign_in(teacher).get(reverse(f"admin:bookings_{model}_add")).status_code == 200


@pytest.mark.parametrize("name", [*LISTS, *PAGES])
def test_staff_without_rights_sees_nothing(host, sign_in, name):
    host.is_staff = True
    host.save()

    assert sign_in(host).get(reverse(name), follow=True).status_code == 403


@pytest.mark.parametrize("name", [*LISTS, *PAGES, "admin:index", "admin:more"])
def test_a_student_sees_nothing(student, sign_in, name):
    assert sign_in(student).get(reverse(name), follow=True).status_code == 403


@pytest.mark.parametrize("model", [VirtualClass, User])
def test_staff_who_may_only_look_is_offered_no_action(model, host, sign_in, google):
    name = model._meta.model_name
    host.is_staff = True
    host.save()
    host.user_permissions.set(Permission.objects.filter(codename=f"view_{name}"))
    looked_at = [VirtualClassFactory(booked_by=UserFactory()), UserFactory()]
    [row] = [one for one in looked_at if isinstance(one, model)]
    model_admin = admin.site._registry[model]
    before = model.objects.filter(pk=row.pk).values().get()

    bulk = [step.name for step in model_admin.steps if step.bulk]
    for action in bulk:
        page = sign_in(host).post(
            reverse(f"admin:{model._meta.app_label}_{name}_changelist"),
            {"action": action, "_selected_action": [str(row.pk)]},
            follow=True,
        )
        assert page.status_code == 200

    assert bulk
    assert model.objects.filter(pk=row.pk).values().get() == before


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
    steps = r'form="people"|id="people"|/paso/|/datos.json|admin/precios/'
    return len(re.findall(steps, page))


def test_staff_who_may_only_look_is_offered_no_step_of_a_class(looker, teacher, sign_in, student):
    begun = timezone.now() - timedelta(minutes=5)
    group = VirtualClassFactory(scheduled=True, start_time=begun)
    WaitingListEntry.objects.create(virtual_class=group, user=student)

    offered = [
        steps_on(client, "bookings_virtualclass_change", group.pk)
        for client in (looker, sign_in(teacher))
    ]

    # Marking a person, and the form of that; removing one, moving, capacity, cancelling.
    assert offered == [0, 6]


def test_staff_who_may_only_look_is_offered_nobody_s_data(looker, teacher, sign_in, student):
    clients = (looker, sign_in(teacher))

    offered = [steps_on(client, "accounts_user_change", student.pk) for client in clients]

    assert offered == [0, 3]  # the export, suspending and erasing


def test_staff_who_may_only_look_is_offered_no_new_price(looker, teacher, sign_in):
    Price.objects.create(class_type="individual", minutes=60, amount=1, valid_from="2026-01-01")

    offered = [
        steps_on(client, "bookings_price_changelist") > 0 for client in (looker, sign_in(teacher))
    ]

    assert offered == [False, True]
