"""Settings: where the calendar is, and who may have events made."""

import json

import pytest

from config.env.environment import BASE_DIR
from tests.config.environments import development, refusal


@pytest.mark.parametrize("policy", ["auto", "open", "paid", "closed"])
def test_trigger_policy(policy):
    assert policy == development(CALENDAR_TRIGGER_POLICY=policy).CALENDAR_TRIGGER_POLICY


@pytest.mark.parametrize("policy", ["shut", "Paid", "auto open"])
def test_unknown_trigger_policy_is_named(policy):
    assert "CALENDAR_TRIGGER_POLICY must be one of" in refusal(CALENDAR_TRIGGER_POLICY=policy)


def test_trigger_secret_is_demanded_by_its_policy():
    env = development(CALENDAR_TRIGGER_POLICY="secret", CALENDAR_TRIGGER_SECRET="s3cr3t")

    assert env.CALENDAR_TRIGGER_SECRET == "s3cr3t"
    assert "CALENDAR_TRIGGER_SECRET" in refusal(CALENDAR_TRIGGER_POLICY="secret")


def test_calendar_address_ends_in_a_slash():
    for value in ("https://x.example/calendar/v3", "https://x.example/calendar/v3/"):
        env = development(CALENDAR_API_URL=value)

        assert env.CALENDAR_API_URL == "https://x.example/calendar/v3/"


def test_service_account_is_parsed():
    account = {"type": "service_account", "client_email": "robot@example.com"}

    env = development(SERVICE_ACCOUNT_JSON=json.dumps(account))

    assert account == env.CALENDAR_SERVICE_ACCOUNT


@pytest.mark.parametrize(
    "text", ["hunter2", "{", "[]", "null", '"x"', "{}", '{"type":"authorized_user"}']
)
def test_unusable_service_account_is_not_repeated(text):
    said = refusal(SERVICE_ACCOUNT_JSON=text)

    assert "SERVICE_ACCOUNT_JSON must be a service account's JSON key." in said
    assert "hunter2" not in said


def test_everybody_is_asked_for_the_calendar_unless_it_is_said():
    assert development().CALENDAR_CONSENT == "everyone"
    assert development(CALENDAR_CONSENT="teacher").CALENDAR_CONSENT == "teacher"
    assert "CALENDAR_CONSENT must be one of" in refusal(CALENDAR_CONSENT="nobody")


def test_meetings_stay_closed_unless_it_is_said():
    assert development().MEET_ACCESS == "invited"
    assert development(MEET_ACCESS="open").MEET_ACCESS == "open"
    assert "MEET_ACCESS must be one of" in refusal(MEET_ACCESS="everyone")


@pytest.mark.parametrize("file", [".env.example", "config/deploy/compose/env"])
def test_what_is_shipped_for_going_live_asks_the_teacher_alone(file):
    assert "CALENDAR_CONSENT=teacher" in (BASE_DIR / file).read_text().splitlines()
