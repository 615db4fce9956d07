"""config/env/environment.py: the environment, parsed once, or a refusal that names the variable."""

import base64
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from config.env.environment import DEVELOPMENT_KEY, parse_env
from tests.config.environments import KEY, PRODUCTION, development, production, refusal
from tests.processes import ROOT


def test_debug_needs_nothing_else():
    env = parse_env({"DEBUG": "true"})

    assert env.debug is True
    assert env.secret_key == DEVELOPMENT_KEY
    assert env.base_url == "http://localhost:8000"
    assert env.database["ENGINE"] == "django.db.backends.sqlite3"
    assert Path(env.database["NAME"]).name == "db.sqlite3"


def test_production_talks_to_the_real_providers():
    env = production()

    assert env.debug is False
    assert env.sign_in.google_url == env.sign_in.github_url == ""
    assert env.sign_in.google_token_url == "https://oauth2.googleapis.com/token"
    assert env.sign_in.github_api_url == "https://api.github.com"
    assert env.calendar.calendar_api_url == "https://www.googleapis.com/calendar/v3/"


def test_production_has_the_documented_defaults():
    env = production()

    assert env.calendar.calendar_id == "primary"
    assert env.trusted_proxies == 0
    assert env.hsts_preload is False
    assert env.calendar.calendar_cache_seconds == 15
    assert env.calendar.calendar_stale_seconds == 60
    assert env.calendar.calendar_trigger_policy == "auto"
    assert env.prevent_overlaps is True
    assert (env.demo, env.is_local) == (False, False)
    assert env.calendar.service_account is None
    assert (
        env.admin_email == env.calendar.calendar_api_key == env.sign_in.provider_redirect_uri == ""
    )


@pytest.mark.parametrize("name", PRODUCTION)
def test_production_demands(name):
    values = {key: value for key, value in PRODUCTION.items() if key != name}

    with pytest.raises(ImproperlyConfigured, match=name):
        parse_env(values)


def test_nothing_at_all_names_what_is_missing():
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is missing"):
        parse_env({})


def test_environment_is_read_before_there_are_settings():
    variables = {"ENV_FILE": "", "DEBUG": "true"}
    program = "from config.env.environment import load_env; print(load_env().base_url)"

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

    assert (env.sign_in.auth_provider_id, env.sign_in.auth_provider_secret) == ("id", "secret")
    assert env.sign_in.provider_redirect_uri == "https://clases.example/api/auth/callback/google"
    assert (env.sign_in.github_id, env.sign_in.github_secret) == ("github-id", "github-secret")
    assert (env.calendar.calendar_id, env.calendar.calendar_api_key) == (
        "clases@group.calendar.google.com",
        "key",
    )
    assert env.site_name == "English con Paula"


def test_admin_email_is_compared_in_lower_case():
    assert development(ADMIN_EMAIL=" Profe@Clases.Example ").admin_email == "profe@clases.example"


def test_former_secret_keys_are_a_list():
    assert development(SECRET_KEY_FALLBACKS="old, older").secret_key_fallbacks == ["old", "older"]
    assert development().secret_key_fallbacks == []


def test_demo_needs_nothing_else_and_shows_no_debug_pages():
    env = parse_env({"DEMO": "true", "GOOGLE_URL": "http://localhost:8101"})

    assert (env.demo, env.debug, env.is_local) == (True, False, True)
    assert env.base_url == "http://localhost:8000"
    assert env.sign_in.google_url == "http://localhost:8101"


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000"])
def test_demo_runs_on_localhost(host):
    assert parse_env({"DEMO": "true", "BASE_URL": f"http://{host}"}).demo is True


@pytest.mark.parametrize("host", ["clases.example", "localhost.clases.example", "10.0.0.1"])
@pytest.mark.parametrize("debug", ["true", "false"])
def test_demo_runs_nowhere_else(host, debug):
    values = {**PRODUCTION, "DEMO": "true", "DEBUG": debug, "BASE_URL": f"https://{host}"}

    with pytest.raises(ImproperlyConfigured, match="DEMO is for a BASE_URL on localhost only"):
        parse_env(values)


def test_field_keys_are_a_list():
    assert production(FIELD_KEYS=f"{KEY}, {KEY}").field_keys == [KEY, KEY]


def test_debug_derives_a_field_key_from_the_secret_key():
    one, other = development(SECRET_KEY="one"), development(SECRET_KEY="other")

    assert one.field_keys == development(SECRET_KEY="one").field_keys != other.field_keys
    Fernet(one.field_keys[0])


@pytest.mark.parametrize(
    "keys",
    ["hunter2", KEY[:-4], "ñ" * 44, f"{KEY},hunter2", base64.b64encode(b"x").decode()],
)
def test_unusable_field_key_is_not_repeated(keys):
    text = refusal(FIELD_KEYS=keys)

    assert "FIELD_KEYS must hold Fernet keys" in text
    assert keys not in text
