"""Settings: the log, the metrics, the errors."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env.services import sentry_options
from config.env.values import Values
from tests.config.environments import development, production, refusal


def test_log_is_for_programs_unless_it_is_one_s_own_machine():
    assert production().LOG_FORMAT == "json"
    assert development().LOG_FORMAT == "text"
    assert development(LOG_FORMAT="json").LOG_FORMAT == "json"
    assert "LOG_FORMAT must be one of json, text." in refusal(LOG_FORMAT="xml")


@pytest.mark.parametrize("token", ["t0ken", "ñ" * 20])
def test_metrics_token_that_can_be_guessed_is_refused_and_not_shown(token):
    message = refusal(METRICS_TOKEN=token)

    assert "METRICS_TOKEN must have 16" in message
    assert token not in message


@pytest.mark.parametrize(
    "dsn", ["k3y", "https://sentry.example/1", "https://k3y@s.example/", "ftp://k3y@s.example/1"]
)
def test_sentry_dsn_that_is_none_is_refused_and_not_shown(dsn):
    message = refusal(SENTRY_DSN=dsn)

    assert "SENTRY_DSN must be" in message
    assert "k3y" not in message


def test_sentry_is_called_over_https():
    local = Values({"DEBUG": "true", "SENTRY_DSN": "http://k3y@localhost/1"})

    assert sentry_options(local)["dsn"] == "http://k3y@localhost/1"
    with pytest.raises(ImproperlyConfigured, match="SENTRY_DSN"):
        production(SENTRY_DSN="http://k3y@sentry.example/1")


def test_sentry_dsn():
    env = Values({"SENTRY_DSN": "https://k3y@sentry.example/1", "RELEASE": "1.2"})

    assert sentry_options(env) == {
        "dsn": "https://k3y@sentry.example/1",
        "environment": "production",
        "release": "1.2",
    }
