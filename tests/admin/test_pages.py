"""Every page of the teacher's panel."""

import pytest
from django.contrib import admin
from django.urls import reverse

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
