"""The system checks: what is missing has a name, and no value is repeated."""

import pytest

from calendar_sync.checks import check_calendar

ACCOUNT = {"client_email": "robot@example.com", "private_key": "secret", "token_uri": "https://x"}


def ids(messages):
    return [message.id.removeprefix("calendar_sync.") for message in messages]


def test_check_calendar_is_content_with_the_tests_settings():
    assert check_calendar(None) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ADMIN_EMAIL": ""}, ["W001"]),
        ({"AUTH_PROVIDER_ID": ""}, ["W002"]),
        ({"AUTH_PROVIDER_SECRET": ""}, ["W002"]),
        ({"AUTH_PROVIDER_ID": "", "CALENDAR_SERVICE_ACCOUNT": ACCOUNT}, []),
        ({"ADMIN_EMAIL": "", "CALENDAR_SERVICE_ACCOUNT": ACCOUNT}, ["W003"]),
        ({"CALENDAR_SERVICE_ACCOUNT": {"client_email": "x"}}, ["E001"]),
        ({"CALENDAR_API_KEY": "secret"}, []),
        ({"CALENDAR_API_KEY": "secret", "ADMIN_EMAIL": ""}, ["W001", "W004"]),
        ({"CALENDAR_API_KEY": "secret", "CALENDAR_ID": "a@example.com"}, []),
        ({"CALENDAR_API_URL": "https://www.googleapis.com/"}, ["E002"]),
    ],
)
def test_check_calendar_names_what_is_wrong(settings, changes, expected):
    for name, value in changes.items():
        setattr(settings, name, value)

    messages = check_calendar(None)

    assert ids(messages) == expected
    assert "secret" not in str(messages)
