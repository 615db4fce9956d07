"""Times that students hold."""

from datetime import timedelta

import pytest
from django.urls import reverse

from bookings.models import Hold
from tests.factories import HoldFactory, VirtualClassFactory
from tests.panel.moments import NOW, at
from tests.panel.steps import confirm_several

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

LIST = reverse("admin:bookings_hold_changelist")


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
    page = panel.get(LIST).content.decode()

    assert "lun 16 nov · 15:00 a 16:00" in page
    assert "Ana Host" in page


def test_a_hold_that_is_over_is_not(panel, hold):
    Hold.objects.update(expires_at=NOW)

    assert "Ana Host" not in panel.get(LIST).content.decode()


def test_releasing_frees_the_time(panel, hold):
    page = release(panel, hold).content.decode()

    assert "horario liberado" in page
    assert not Hold.objects.exists()


def test_a_hold_that_is_being_paid_stays(panel, hold):
    until = {"kept_until": hold.expires_at, "start_time": hold.start_time}
    hold.purchase = VirtualClassFactory(booked_by=hold.user, **until).purchase
    hold.expires_at = None
    hold.save()

    page = release(panel, hold).content.decode()

    assert "cancelá la clase" in page
    assert Hold.objects.get() == hold


def test_a_hold_s_page_says_whose_it_is(panel, hold):
    page = panel.get(reverse("admin:bookings_hold_change", args=[hold.pk])).content.decode()

    assert "Ana Host" in page
    assert "_save" not in page
