"""A grant is used before it ages, its end is noticed early, and told once."""

from datetime import timedelta
from functools import cache

import pytest
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.grant import check_calendar_grant, describe_access
from bookings.domain.calendar.repairing import compare_calendar, keep_push_channel
from bookings.domain.classes.finishing import finish_requested_schedulings
from bookings.domain.desk.setup import load_setup
from bookings.models import Notice, NoticeKind, WebhookEndpoint
from bookings.notices.delivery import deliver_due
from bookings.work.health import load_service_state
from bookings.work.metrics import ServiceCollector
from calendar_sync import CalendarNotConnectedError, write_calendar
from tests.accounts.flows import sign_in
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.environment import TEACHER_EMAIL
from tests.factories import VirtualClassFactory
from tests.standins import Fault

pytestmark = pytest.mark.django_db

ALERTS = [NoticeKind.GRANT_REVOKED, NoticeKind.GRANT_AT_RISK, NoticeKind.ACCOUNT_REFUSED]


@pytest.fixture(autouse=True)
def _quick(settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.5)


def grant_is(teacher, *, days_old):
    teacher.provider_token_saved_at = timezone.now() - timedelta(days=days_old)
    teacher.save()


def use_account():
    with write_calendar(None) as calendar:
        calendar.check_grant()


def kinds_told():
    return list(Notice.objects.filter(kind__in=ALERTS).values_list("kind", flat=True))


def test_check_uses_the_grant_even_where_a_key_could_read(teacher, google, settings):
    settings.CALENDAR_API_KEY = "key"
    settings.CALENDAR_ID = teacher.email

    assert check_calendar_grant() == 1

    asked = [one for one in google.requests if one.route == "events.list"]
    assert [("x-goog-api-key" in {k.lower() for k in one.headers}) for one in asked] == [False]


@cache
def make_key() -> str:
    """Make a private key, once for all tests: that takes long."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture
def account(google, teacher, settings):
    """A service account beside the teacher's grant."""
    settings.CALENDAR_SERVICE_ACCOUNT = {
        "client_email": "robot@project.iam.gserviceaccount.com",
        "private_key": make_key(),
        "token_uri": f"{google.url}/oauth2/token",
    }


@pytest.fixture
def robot(account, teacher):
    """A service account without a grant."""
    type(teacher).objects.update(provider_refresh_token="")


def ask(google, *, is_accepted):
    """Check the service account, while Google accepts it or not."""
    google.heal()
    google.expire_access_tokens()
    if not is_accepted:
        google.fault("token", *[Fault.status(400, "invalid_grant")] * 9)
    return check_calendar_grant()


def test_service_account_that_is_refused_is_told_once(robot, teacher, google):
    assert [ask(google, is_accepted=False), check_calendar_grant()] == [0, 0]
    with pytest.raises(CalendarNotConnectedError):
        use_account()

    assert kinds_told() == [NoticeKind.ACCOUNT_REFUSED]
    assert deliver_due() == 1
    assert mail.outbox[0].to == [teacher.email]
    assert "Google ya no acepta la cuenta de servicio" in mail.outbox[0].body


def test_refused_service_account_is_seen_everywhere(robot, google):
    """By machines and on the panel; once it is accepted again, nowhere."""
    seen = []
    for is_accepted in (False, True):
        ask(google, is_accepted=is_accepted)
        seen += [
            describe_access(is_down=False),
            load_setup().calendar,
            load_service_state()["refused_since"] is not None,
        ]

    assert seen == ["revoked", "revoked", True, "ok", "ok", False]


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


# Whatever may be the first to meet a refusal.
CALLERS = {
    "list": lambda client, virtual_class: client.get("/api/calendar"),
    "write": lambda client, virtual_class: client.post(
        "/api/calendar",
        {"preferenceId": virtual_class.preference_id},
        content_type="application/json",
    ),
    "comparison": lambda client, virtual_class: compare_calendar(),
    "channel": lambda client, virtual_class: keep_push_channel(),
}


@pytest.mark.parametrize("call", CALLERS.values(), ids=CALLERS)
def test_the_first_call_that_meets_a_revoked_grant_reports_it_once(
    client, teacher, google, host, settings, call
):
    settings.BASE_URL = "https://clases.example"
    settings.ALLOWED_HOSTS = ["*"]
    virtual_class = VirtualClassFactory(booked_by=host)
    google.revoke(teacher.provider_refresh_token)

    call(client, virtual_class)

    assert client.get("/readyz").json()["calendar"] == "revoked"
    assert "classes_calendar_connected 0.0" in exposition()
    assert kinds_told() == [NoticeKind.GRANT_REVOKED]
    asked = len(google.requests)
    for another in CALLERS.values():
        another(client, virtual_class)
    assert kinds_told() == [NoticeKind.GRANT_REVOKED]
    assert len(google.requests) == asked


@pytest.mark.parametrize("call", CALLERS.values(), ids=CALLERS)
def test_service_account_takes_over_when_the_grant_is_gone(
    client, teacher, google, host, account, call
):
    virtual_class = VirtualClassFactory(booked_by=host)
    google.revoke(teacher.provider_refresh_token)

    for _ in range(2):
        call(client, virtual_class)
        check_calendar_grant()

    answer = client.post(
        "/api/calendar",
        {"preferenceId": virtual_class.preference_id},
        content_type="application/json",
    )
    assert answer.status_code == 200
    assert len(client.get("/api/calendar").json()) == 1
    assert client.get("/readyz").json()["calendar"] == "stand_in"
    assert "classes_calendar_connected 1.0" in exposition()
    assert kinds_told() == [NoticeKind.GRANT_REVOKED]


def exposition():
    return "".join(
        f"{sample.name} {sample.value}\n"
        for family in ServiceCollector().collect()
        for sample in family.samples
    )


TOKEN = "a-token-of-some-length"


@pytest.fixture
def lost(google, settings):
    """A grant and a receiver's secret under a key that is gone."""
    settings.METRICS_TOKEN = TOKEN
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]
    google.add_person(email=TEACHER_EMAIL, name="Paula Profe")
    sign_in(Client(), "google", TEACHER_EMAIL)
    WebhookEndpointFactory(secret="whsec_old")
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]


@pytest.fixture
def calm(client):
    client.raise_request_exception = False
    return client


def test_the_documented_way_back_is_one(lost, calm, capsys):
    assert sign_in(calm, "google", TEACHER_EMAIL).status_code == 500
    with pytest.raises(CommandError, match="2 cannot be read"):
        call_command("rotate_keys")

    call_command("rotate_keys", "--forget-unreadable")

    assert "Forgotten: 2." in capsys.readouterr().out
    assert calm.get("/readyz").json()["calendar"] == "not_connected"
    assert sign_in(calm, "google", TEACHER_EMAIL).status_code == 302
    sign_in(calm, "google", TEACHER_EMAIL, process="calendar")
    assert check_calendar_grant() == 1
    endpoint = WebhookEndpoint.objects.get()
    shown = calm.post(reverse("admin:bookings_webhookendpoint_secret", args=[endpoint.pk]))
    assert endpoint.secret in shown.content.decode()


def test_what_can_be_read_is_kept(lost, student):
    student.provider_refresh_token = "readable"
    student.save()
    kept = WebhookEndpointFactory()

    call_command("rotate_keys", "--forget-unreadable")

    assert User.objects.get(pk=student.pk).provider_refresh_token == "readable"
    assert WebhookEndpoint.objects.get(pk=kept.pk).secret == kept.secret
