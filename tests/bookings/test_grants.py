"""grants.py: a grant is used before it ages, its end is noticed early, and told once."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.finishing import finish_requested_schedulings
from bookings.domain.grants import check_calendar_grant
from bookings.models import Notice, NoticeKind
from tests.factories import VirtualClassFactory
from tests.standins import Fault


@pytest.fixture(autouse=True)
def _quick(settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.5)


def grant_is(teacher, *, days_old):
    teacher.provider_token_saved_at = timezone.now() - timedelta(days=days_old)
    teacher.save()


def kinds_told():
    return list(Notice.objects.values_list("kind", flat=True))


def test_check_uses_the_grant_even_where_a_key_could_read(teacher, google, settings):
    settings.CALENDAR_API_KEY = "key"
    settings.CALENDAR_ID = teacher.email

    assert check_calendar_grant() == 1

    asked = [one for one in google.requests if one.route == "events.list"]
    assert [("x-goog-api-key" in {k.lower() for k in one.headers}) for one in asked] == [False]


def test_nobody_s_grant_is_not_checked(db, google):
    assert (check_calendar_grant(), google.requests) == (0, [])


def test_dead_grant_is_noted_and_told(teacher, google):
    google.revoke(teacher.provider_refresh_token)

    assert check_calendar_grant() == 0

    teacher.refresh_from_db()
    assert teacher.provider_token_revoked_at is not None
    assert kinds_told() == [NoticeKind.GRANT_REVOKED]


@pytest.mark.parametrize("route", ["token", "events.list"])
@pytest.mark.parametrize("fault", [Fault.status(500), Fault.drop(), Fault.garbage()], ids=str)
def test_network_that_fails_says_nothing_about_the_grant(teacher, google, route, fault):
    google.fault(route, *[fault] * 20)

    assert check_calendar_grant() == 0

    teacher.refresh_from_db()
    assert teacher.provider_token_revoked_at is None
    assert kinds_told() == []


def test_grant_that_lives_after_all_sends_the_waiting_on(teacher, google, host):
    VirtualClassFactory(
        booked_by=host, scheduling_requested_at=timezone.now() - timedelta(minutes=5)
    )
    teacher.provider_token_revoked_at = timezone.now()
    teacher.save()
    assert finish_requested_schedulings() == 0

    assert check_calendar_grant() == 1

    teacher.refresh_from_db()
    assert teacher.provider_token_revoked_at is None
    assert finish_requested_schedulings() == 1


@pytest.mark.parametrize(
    ("days_old", "told"), [(1, []), (6, [NoticeKind.GRANT_AT_RISK]), (30, [])], ids=str
)
def test_grant_of_a_risky_age_is_told(teacher, google, days_old, told):
    grant_is(teacher, days_old=days_old)

    check_calendar_grant()

    assert kinds_told() == told


def test_risk_is_told_once_for_each_grant(teacher, google):
    for _ in range(2):
        grant_is(teacher, days_old=6)
        for hour in range(3):
            with time_machine.travel(timezone.now() + timedelta(hours=hour)):
                check_calendar_grant()

    assert kinds_told() == [NoticeKind.GRANT_AT_RISK] * 2
