"""The booking rules: one row, which the list leads to."""

import pytest
from django.urls import reverse

from bookings.models import BookingRules

pytestmark = pytest.mark.django_db

ADD = reverse("admin:bookings_bookingrules_add")
CHANGE = reverse("admin:bookings_bookingrules_change", args=[1])
RULES = {
    "slot_step_minutes": 30,
    "buffer_before_minutes": 0,
    "buffer_after_minutes": 10,
    "minimum_notice_minutes": 60,
    "horizon_days": 45,
    "change_cutoff_minutes": 1440,
    "hold_minutes": 15,
    "transfer_hours": 24,
}


def test_before_the_first_time_the_form_shows_the_defaults(panel):
    page = panel.get(CHANGE).content.decode()

    assert 'value="720"' in page
    assert not BookingRules.objects.exists()


def test_the_first_time_makes_the_row(panel):
    panel.post(CHANGE, RULES)

    assert [rules.minimum_notice_minutes for rules in BookingRules.objects.all()] == [60]


def test_there_is_no_second_row_and_no_way_to_delete_the_first(panel):
    BookingRules().save()

    answers = [
        panel.get(ADD).status_code,
        panel.post(ADD, RULES).status_code,
        panel.post(reverse("admin:bookings_bookingrules_delete", args=[1])).status_code,
        panel.get(reverse("admin:bookings_bookingrules_change", args=[2]), follow=True).status_code,
    ]

    assert answers == [403, 403, 403, 200]
    assert [rules.minimum_notice_minutes for rules in BookingRules.objects.all()] == [720]


def test_rules_are_changed(panel):
    BookingRules().save()

    panel.post(CHANGE, {**RULES, "horizon_days": 60})

    assert BookingRules.load().horizon_days == 60


@pytest.mark.parametrize(
    "change", [{"horizon_days": 90}, {"slot_step_minutes": 0}, {"hold_minutes": ""}]
)
def test_impossible_rules_are_refused(panel, change):
    BookingRules().save()

    response = panel.post(CHANGE, {**RULES, **change})

    assert response.status_code == 200
    assert BookingRules.load().minimum_notice_minutes == 720
