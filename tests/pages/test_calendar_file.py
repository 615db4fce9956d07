"""``/inicio/clases/<id>/clase.ics``: for those who take part, and for nobody else."""

import pytest
from django.urls import reverse
from icalendar import Calendar

from bookings.domain.places.joining import join_class
from bookings.models import ClassStatus
from tests.factories import VirtualClassFactory


@pytest.fixture
def virtual_class(host):
    return VirtualClassFactory(scheduled=True, booked_by=host, access_code="ABCD2345")


@pytest.fixture
def path(virtual_class):
    return reverse("bookings:calendar_file", args=[virtual_class.pk])


def test_the_host_gets_the_file(virtual_class, path, host, sign_in):
    response = sign_in(host).get(path)

    [event] = Calendar.from_ical(response.content).events
    assert path == f"/inicio/clases/{virtual_class.pk}/clase.ics"
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    assert response["Content-Disposition"].startswith('attachment; filename="clase-20')
    assert event["UID"] == f"{virtual_class.provider_event_id}@google.com"
    assert "no-store" in response["Cache-Control"]


def test_a_guest_gets_the_file_without_the_code(path, student, sign_in):
    join_class(user=student, access_code="ABCD2345")

    response = sign_in(student).get(path)

    assert response.status_code == 200
    assert b"ABCD2345" not in response.content


def test_to_a_stranger_it_does_not_exist(path, stranger, sign_in):
    assert sign_in(stranger).get(path).status_code == 404


def test_whoever_is_not_signed_in_is_sent_to_sign_in(path, client):
    assert client.get(path).status_code == 302


@pytest.mark.parametrize(
    "status", [ClassStatus.PENDING, ClassStatus.CANCELLED, ClassStatus.COMPLETED]
)
def test_only_a_scheduled_class_has_a_file(virtual_class, path, host, sign_in, status):
    virtual_class.status = status
    virtual_class.save()

    assert sign_in(host).get(path).status_code == 404
