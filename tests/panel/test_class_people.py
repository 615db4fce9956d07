"""A class's page in the panel: who came, who waits, and for how many it is."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.completing import complete_ended_classes
from bookings.domain.places.waiting_list import wait_for_place
from bookings.models import ClassLog, Role, UserActivity, WaitingListEntry
from bookings.templatetags.class_times import short_day
from tests.factories import UserFactory, VirtualClassFactory
from tests.panel.steps import confirm, look

CODE = "ABCD2345"


def page_of(virtual_class):
    return reverse("admin:class_sheet", args=[virtual_class.pk])


def address_of(part):
    return reverse("admin:bookings_virtualclass_attendance", args=[part.virtual_class_id, part.pk])


def press(panel, part, came=""):
    """Press the button beside a person, and read the page that follows."""
    response = panel.post(address_of(part), {"came": came}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def ended(host, student):
    """A class that ended an hour ago, and its guest's activity."""
    virtual_class = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    part = UserActivity.objects.create(
        user=student, virtual_class=virtual_class, rol=Role.PARTICIPANT
    )
    return virtual_class, part


@pytest.fixture
def full(host):
    """A full group of one, in two days."""
    return VirtualClassFactory(
        scheduled=True,
        booked_by=host,
        access_code=CODE,
        max_participants=1,
        start_time=timezone.now() + timedelta(days=2),
    )


def test_one_click_marks_who_did_not_come_and_one_takes_it_back(panel, ended, student, teacher):
    _, part = ended
    complete_ended_classes()

    marked = press(panel, part)
    student.refresh_from_db()
    total = student.total_classes
    taken_back = press(panel, part, came="1")

    student.refresh_from_db()
    assert "Anotamos que Bruno Student faltó: la clase no le cuenta." in marked
    assert "Anotamos que Bruno Student vino." in taken_back
    assert (total, student.total_classes) == (0, 1)
    lines = ClassLog.objects.filter(actor=teacher).values_list("event", flat=True)
    assert list(lines) == ["no_show", "showed_up"]
    assert LogEntry.objects.count() == 2


def test_each_person_has_one_button_once_the_class_has_begun(panel, ended, full):
    virtual_class, part = ended
    part.no_show = True
    part.save()

    page = panel.get(page_of(virtual_class)).content.decode()

    assert sorted(re.findall(r'name="came"\s+value="(1?)"', page)) == ["", "1"]
    assert page.count(f'action="{address_of(part)}"') == 1
    assert 'name="came"' not in panel.get(page_of(full)).content.decode()


def test_a_mark_before_the_class_is_refused(panel, full):
    part = UserActivity.objects.get(virtual_class=full)

    page = press(panel, part)

    part.refresh_from_db()
    assert "La clase todavía no empezó." in page
    assert not part.no_show


@pytest.mark.parametrize("number", [0, int("9" * 30)])
def test_an_activity_that_there_is_not_is_refused(panel, ended, number):
    _, part = ended

    page = press(panel, UserActivity(pk=number, virtual_class=part.virtual_class))

    assert "Eso cambió mientras mirabas." in page
    assert not UserActivity.objects.filter(no_show=True).exists()


def test_nobody_is_taken_out_of_another_class_s_line(panel, full, student):
    entry = wait_for_place(user=student, access_code=CODE)
    other = VirtualClassFactory(scheduled=True)

    page = confirm(panel, other, "espera", entry=entry.pk).content.decode()

    entry.refresh_from_db()
    assert entry.state == "waiting"
    assert "Eso cambió mientras mirabas." in page
    assert not LogEntry.objects.exists()


def test_the_line_stands_in_its_order_and_anybody_can_be_taken_out(panel, full):
    people = [UserFactory(name=name) for name in ("Zoe", "Alma", "Mia")]
    entries = [wait_for_place(user=person, access_code=CODE) for person in people]

    page = panel.get(page_of(full)).content.decode()
    after = confirm(panel, full, "espera", entry=entries[1].pk).content.decode()

    places = [
        page.index(person.email) if person.email in page else page.index(person.name)
        for person in people
    ]
    assert places == sorted(places)
    assert f"en la lista desde el {short_day(entries[0].created_at)}" in page
    assert "Alma salió de la lista de espera." in after
    assert WaitingListEntry.objects.get(pk=entries[1].pk).state == "left"


def test_a_capacity_below_who_is_in_is_refused(panel, ended, full):
    full.current_participants = full.max_participants = 3
    full.save()

    page = look(panel, full, "lugares", places="2").content.decode()

    assert "Hay más personas anotadas, o con un lugar ofrecido, que lugares." in page


def test_an_individual_class_has_neither_line_nor_capacity(panel, host):
    alone = VirtualClassFactory(scheduled=True, class_type="individual", max_participants=1)

    page = panel.get(page_of(alone)).content.decode()

    assert "Lista de espera" not in page
    assert "Cambiar los lugares" not in page


def test_nobody_else_presses_a_button(sign_in, host, ended):
    _, part = ended

    strangers = sign_in(host).post(address_of(part))
    host.is_staff = True
    host.save()
    staff = sign_in(host).post(address_of(part))

    part.refresh_from_db()
    assert (strangers.status_code, staff.status_code, part.no_show) == (302, 403, False)


def test_the_page_costs_the_same_for_one_person_and_for_six(panel, ended):
    virtual_class, _ = ended
    path = page_of(virtual_class)

    def count():
        with CaptureQueriesContext(connection) as queries:
            assert panel.get(path).status_code == 200
        return len(queries)

    count()  # the first of a process looks up what it remembers
    few = count()
    for person in UserFactory.create_batch(5):
        UserActivity.objects.create(user=person, virtual_class=virtual_class, rol=Role.PARTICIPANT)
        WaitingListEntry.objects.create(user=UserFactory(), virtual_class=virtual_class)

    assert count() == few
