"""config/env/environment.py: the environment, parsed once, or a refusal that names the variable."""

import base64
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env.environment import DEVELOPMENT_KEY
from tests.config.environments import (
    KEY,
    PRODUCTION,
    development,
    production,
    read_settings,
    refusal,
)
from tests.processes import ROOT


def test_debug_needs_nothing_else():
    env = read_settings({"DEBUG": "true"})

    assert env.DEBUG is True
    assert env.SECRET_KEY == DEVELOPMENT_KEY
    assert env.BASE_URL == "http://localhost:8000"
    assert env.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
    assert Path(env.DATABASES["default"]["NAME"]).name == "db.sqlite3"


def test_production_talks_to_the_real_providers():
    env = production()

    assert env.DEBUG is False
    assert env.GOOGLE_TOKEN_URL == "https://oauth2.googleapis.com/token"
    assert env.GITHUB_API_URL == "https://api.github.com"
    assert env.CALENDAR_API_URL == "https://www.googleapis.com/calendar/v3/"


def test_production_has_the_documented_defaults():
    env = production()

    assert env.CALENDAR_ID == "primary"
    assert env.TRUSTED_PROXIES == 0
    assert env.CALENDAR_TRIGGER_POLICY == "auto"
    assert (env.DEMO, env.ENV.is_local) == (False, False)
    assert env.CALENDAR_SERVICE_ACCOUNT is None
    assert env.ADMIN_EMAIL == env.CALENDAR_API_KEY == env.PROVIDER_REDIRECT_URI == ""


@pytest.mark.parametrize("name", PRODUCTION)
def test_production_demands(name):
    values = {key: value for key, value in PRODUCTION.items() if key != name}

    with pytest.raises(ImproperlyConfigured, match=name):
        read_settings(values)


def test_command_answers_a_wrong_value_in_one_line():
    values = {"ENV_FILE": "", "DEBUG": "maybe"}
    done = subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput"],
        cwd=ROOT,
        env=values,
        check=False,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip().splitlines() == ["DEBUG must be true or false."]


def test_environment_is_read_before_there_are_settings():
    variables = {"ENV_FILE": "", "DEBUG": "true"}
    program = "from config.env.environment import base_url, load_env; print(base_url(load_env()))"

    done = subprocess.run(
        [sys.executable, "-c", program], env=variables, cwd=ROOT, capture_output=True, text=True
    )

    assert (done.stdout, done.stderr) == ("http://localhost:8000\n", "")


def test_variables_are_read_under_the_documented_names():
    env = development(
        AUTH_PROVIDER_ID="id",
        AUTH_PROVIDER_SECRET="secret",
        PROVIDER_REDIRECT_URI="https://clases.example/api/auth/callback/google",
        GITHUB_ID="github-id",
        GITHUB_SECRET="github-secret",
        CALENDAR_ID="clases@group.calendar.google.com",
        CALENDAR_API_KEY="key",
        SITE_NAME="English con Paula",
    )

    assert (env.AUTH_PROVIDER_ID, env.AUTH_PROVIDER_SECRET) == ("id", "secret")
    assert env.PROVIDER_REDIRECT_URI == "https://clases.example/api/auth/callback/google"
    github = {"client_id": "github-id", "secret": "github-secret"}
    assert env.SOCIALACCOUNT_PROVIDERS["github"]["APP"] == github
    assert (env.CALENDAR_ID, env.CALENDAR_API_KEY) == (
        "clases@group.calendar.google.com",
        "key",
    )
    assert env.SITE_NAME == "English con Paula"


def test_admin_email_is_compared_in_lower_case():
    assert development(ADMIN_EMAIL=" Profe@Clases.Example ").ADMIN_EMAIL == "profe@clases.example"


def test_former_secret_keys_are_a_list():
    assert development(SECRET_KEY_FALLBACKS="old, older").SECRET_KEY_FALLBACKS == ["old", "older"]
    assert development().SECRET_KEY_FALLBACKS == []


def test_demo_needs_nothing_else_and_shows_no_debug_pages():
    env = read_settings({"DEMO": "true", "GOOGLE_URL": "http://localhost:8101"})

    assert (env.DEMO, env.DEBUG, env.ENV.is_local) == (True, False, True)
    assert env.BASE_URL == "http://localhost:8000"
    assert env.SOCIALACCOUNT_PROVIDERS["google"]["ID_TOKEN_ISSUER"] == "http://localhost:8101"


@pytest.mark.parametrize("host", ["clases.example", "localhost.clases.example", "10.0.0.1"])
@pytest.mark.parametrize("debug", ["true", "false"])
def test_demo_runs_nowhere_else(host, debug):
    values = {**PRODUCTION, "DEMO": "true", "DEBUG": debug, "BASE_URL": f"https://{host}"}

    with pytest.raises(ImproperlyConfigured, match="DEMO is for a BASE_URL on localhost only"):
        read_settings(values)


def test_field_keys_are_a_list():
    assert production(FIELD_KEYS=f"{KEY}, {KEY}").FIELD_KEYS == [KEY, KEY]


@pytest.mark.parametrize(
    "keys",
    ["hunter2", KEY[:-4], "ñ" * 44, f"{KEY},hunter2", base64.b64encode(b"x").decode()],
    ids=["word", "cut", "letters", "one of two", "short"],
)
def test_unusable_field_key_is_not_repeated(keys):
    text = refusal(FIELD_KEYS=keys)

    assert "FIELD_KEYS must hold Fernet keys" in text
    assert keys not in text
