"""Every page of the teacher's panel."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.urls import reverse

from accounts.models import User
from bookings.models import VirtualClass
from tests.factories import UserFactory, VirtualClassFactory

pytestmark = pytest.mark.django_db

LISTS = [
    f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    for model in admin.site._registry
]
FORMS = ["closure", "specialhours", "price"]


@pytest.mark.parametrize("name", [*LISTS, "admin:index", "admin:week", "admin:calendar"])
def test_a_page_answers(teacher, sign_in, name):
    assert sign_in(teacher).get(reverse(name), follow=True).status_code == 200


@pytest.mark.parametrize("model", FORMS)
def test_an_empty_form_answers(teacher, sign_in, model):
    assert sign_in(teacher).get(reverse(f"admin:bookings_{model}_add")).status_code == 200


@pytest.mark.parametrize("name", [*LISTS, "admin:week"])
def test_staff_without_rights_sees_nothing(host, sign_in, name):
    host.is_staff = True
    host.save()

    assert sign_in(host).get(reverse(name), follow=True).status_code == 403


@pytest.mark.parametrize("name", [*LISTS, "admin:index", "admin:week"])
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

    for action in model_admin.actions:
        page = sign_in(host).post(
            reverse(f"admin:{model._meta.app_label}_{name}_changelist"),
            {"action": action, "_selected_action": [str(row.pk)]},
            follow=True,
        )
        assert page.status_code == 200

    assert model.objects.filter(pk=row.pk).values().get() == before
