"""Every page of the teacher's panel."""

import re
from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.shortcuts import resolve_url
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
    steps = r'name="came"|/paso/|/datos.json|admin/precios/'
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


def test_staff_who_may_only_look_is_offered_no_new_price(looker, teacher, sign_in):
    Price.objects.create(class_type="individual", minutes=60, amount=1, valid_from="2026-01-01")

    offered = [
        steps_on(client, "bookings_price_changelist") > 0 for client in (looker, sign_in(teacher))
    ]

    assert offered == [False, True]


WRITING = {
    "act_on_offer": [1],
    "book_for": [],
    "delete_offer": [1],
    "new_offer": [],
    "new_prices": [],
    "offer": [1],
    "publish": [],
    "teacher_page": [],
    "teacher_page_preview": [],
    "week_day": [],
    "week_hour": [],
    "write": [],
}


def test_staff_who_may_only_look_gets_no_form_that_writes(looker):
    addresses = [reverse(f"admin:{name}", args=args) for name, args in WRITING.items()]

    answers = {address: looker.post(address).status_code for address in addresses}

    assert set(answers.values()) == {403}, answers
