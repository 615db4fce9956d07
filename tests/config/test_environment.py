"""config/env/environment.py: the environment, parsed once, or a refusal that names the variable."""

import base64
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core import checks
from django.core.exceptions import ImproperlyConfigured

from config.env.environment import DEVELOPMENT_KEY, host_of, load_env
from config.env.values import Values
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


def test_admin_email_is_compared_in_lower_case():
    assert development(ADMIN_EMAIL=" Profe@Clases.Example ").ADMIN_EMAIL == "profe@clases.example"


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


@pytest.mark.parametrize(
    "keys",
    ["hunter2", KEY[:-4], "ñ" * 44, f"{KEY},hunter2", base64.b64encode(b"x").decode()],
    ids=["word", "cut", "letters", "one of two", "short"],
)
def test_unusable_field_key_is_not_repeated(keys):
    text = refusal(FIELD_KEYS=keys)

    assert "FIELD_KEYS must hold Fernet keys" in text
    assert keys not in text


@pytest.mark.parametrize("value", ["$ecret", "$DEBUG", r"\$ecret", "a$b", "#1", "ñ", "a=b", "'q'"])
def test_secrets_are_taken_as_they_are(value):
    assert value == development(AUTH_PROVIDER_SECRET=value).AUTH_PROVIDER_SECRET
    assert value == production(SECRET_KEY=value).SECRET_KEY


@pytest.mark.parametrize("blank", ["", "  "])
def test_empty_variable_counts_as_not_set(blank):
    names = (
        "SECRET_KEY FIELD_KEYS BASE_URL DATABASE_URL CACHE_URL EMAIL_URL SITE_NAME CALENDAR_ID "
        "GOOGLE_URL GITHUB_URL GITHUB_API_URL CALENDAR_API_URL MEET_API_URL MEET_ACCESS "
        "CALENDAR_CONSENT "
        "CALENDAR_TRIGGER_POLICY SERVICE_ACCOUNT_JSON DEMO "
        "CALENDAR_TRIGGER_SECRET MERCADOPAGO_ACCESS_TOKEN MERCADOPAGO_WEBHOOK_SECRET "
        "MERCADOPAGO_API_URL TRUSTED_PROXIES"
    )

    blanks = vars(development(**dict.fromkeys(names.split(), blank)))
    unset = vars(development())
    assert {name: blanks[name] for name in blanks if name.isupper() and name != "ENV"} == {
        name: unset[name] for name in unset if name.isupper() and name != "ENV"
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(text, True) for text in ("true", "True", "1", "yes")],
        *[(text, False) for text in ("false", "FALSE", "0", "no", "")],
    ],
)
def test_boolean(text, value):
    assert development(DEMO=text).DEMO is value


@pytest.mark.parametrize("text", ["maybe", "2", "yess", "truee", "none"])
def test_boolean_that_is_none_is_named(text):
    assert "DEMO must be true or false." in refusal(DEMO=text)


@pytest.mark.parametrize("text", ["-1", "1.5", "15s", "٣", "1e3", "9" * 5000])
def test_seconds_that_are_no_number_are_named(text):
    assert "TRUSTED_PROXIES must be" in refusal(TRUSTED_PROXIES=text)


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def written(content, name="secret"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return written


def test_any_value_may_stand_in_a_file(file):
    env = read_settings(
        {
            "SECRET_KEY_FILE": file("a-real-key\n", "secret"),
            "FIELD_KEYS_FILE": file(f" {KEY} \n", "keys"),
            "BASE_URL_FILE": file("https://clases.example", "address"),
            "DATABASE_URL_FILE": file("postgres://ana:pass@db/classes\n", "database"),
            "SERVICE_ACCOUNT_JSON_FILE": file('{"type": "service_account"}', "account"),
            "TRUSTED_PROXIES_FILE": file("1", "proxies"),
        }
    )

    assert (env.SECRET_KEY, env.FIELD_KEYS) == ("a-real-key", [KEY])
    assert (env.BASE_URL, env.TRUSTED_PROXIES) == ("https://clases.example", 1)
    database = env.DATABASES["default"]
    assert (database["USER"], database["PASSWORD"]) == ("ana", "pass")
    assert env.CALENDAR_SERVICE_ACCOUNT == {"type": "service_account"}


def test_value_beside_its_file_is_refused(file):
    said = refusal(GITHUB_SECRET="s3cret", GITHUB_SECRET_FILE=file("an0ther"))

    assert "GITHUB_SECRET and GITHUB_SECRET_FILE are both set" in said
    assert "s3cret" not in said
    assert "an0ther" not in said


@pytest.mark.parametrize("content", [b"", b" \n", b"s3cret\xff"], ids=["empty", "blank", "binary"])
def test_file_without_a_value_is_refused(file, content):
    said = refusal(GITHUB_SECRET_FILE=file(content))

    assert "GITHUB_SECRET_FILE must name a file with a value in it." in said
    assert "s3cret" not in said


def test_values_print_as_nothing():
    env = production().ENV

    for text in (repr(env), str(env), f"{[env]}"):
        assert not any(secret in text for secret in ("a-real-key", KEY))


@pytest.fixture
def env_file(tmp_path, monkeypatch):
    """An environment that names a file and holds nothing else of ours."""
    for name in ("DEBUG", "SITE_NAME", "ADMIN_EMAIL", "AUTH_PROVIDER_SECRET", "GITHUB_SECRET"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "settings.env"
    monkeypatch.setenv("ENV_FILE", str(file))
    return file


def test_file_completes_the_environment(env_file, monkeypatch):
    env_file.write_text("DEBUG=true\nSITE_NAME=From the file\nADMIN_EMAIL=file@example.com\n")
    monkeypatch.setenv("SITE_NAME", "From the process")

    env = load_env()

    assert env.text("SITE_NAME") == "From the process"
    assert env.text("ADMIN_EMAIL") == "file@example.com"


def test_file_may_hold_quotes_comments_and_dollars(env_file):
    env_file.write_text(
        "# what follows is made up\nDEBUG=true\nSITE_NAME='Clases # 1'\n"
        'AUTH_PROVIDER_SECRET="$ecret"\nexport GITHUB_SECRET=s3cret\n'
    )

    env = load_env()

    assert env.text("SITE_NAME") == "Clases # 1"
    assert env.text("AUTH_PROVIDER_SECRET") == "$ecret"
    assert env.text("GITHUB_SECRET") == "s3cret"


ADDRESSES = ["GOOGLE_URL", "GITHUB_URL", "GITHUB_API_URL", "CALENDAR_API_URL", "MEET_API_URL"]


@pytest.mark.parametrize(
    ("value", "host", "is_https"),
    [
        ("https://clases.example", "clases.example", True),
        ("https://clases.example/", "clases.example", True),
        ("http://localhost:8000", "localhost", False),
        ("https://[::1]:8443", "[::1]", True),
    ],
)
def test_base_url(value, host, is_https):
    env = development(BASE_URL=value)

    assert value.rstrip("/") == env.BASE_URL
    assert (host_of(env.BASE_URL), env.SECURE_SSL_REDIRECT) == (host, is_https)


MALFORMED = [
    "clases.example",
    "//clases.example",
    "ftp://clases.example",
    "https://",
    "https:///path",
    "https://clases.example?x=1",
    "https://clases.example#x",
    "https://user:hunter2@clases.example",
    "https://clases.example:99999",
    "https://clases.example:port",
    "https://[::1",
    "https://clases .example",
]


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize("value", MALFORMED)
def test_malformed_address_is_named(name, value):
    text = refusal(**{name: value})

    assert f"{name} must be an http(s) address" in text
    assert "hunter2" not in text


@pytest.mark.parametrize("name", ADDRESSES)
def test_plain_http_is_for_ones_own_machine(name):
    development(**{name: "http://127.0.0.1:8101"})
    with pytest.raises(ImproperlyConfigured, match=f"{name} must start with https://"):
        production(**{name: "http://127.0.0.1:8101"})


def test_addresses_of_one_provider_go_together():
    env = development(GOOGLE_URL="http://localhost:8101/", GITHUB_URL="http://localhost:8102")

    assert env.GOOGLE_TOKEN_URL == "http://localhost:8101/oauth2/token"
    assert env.GITHUB_API_URL == "http://localhost:8102"


@pytest.fixture
def settings_read(monkeypatch) -> set[str]:
    """The names that the service reads from its environment."""
    asked = set()
    text = Values.text

    def note(self: Values, name: str, default: str = "") -> str:
        asked.add(name)
        return text(self, name, default)

    monkeypatch.setattr(Values, "text", note)
    production()
    return asked


def test_guide_and_example_have_each_setting(settings_read):
    guide = (ROOT / "docs" / "configuration.md").read_text()
    example = (ROOT / ".env.example").read_text()

    assert not [name for name in settings_read if f"`{name}`" not in guide]
    assert set(re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE)) == settings_read


@pytest.mark.parametrize(
    ("environment", "promise"),
    [
        ({}, 63_072_000),
        ({"BASE_URL": "http://clases.example"}, 0),
    ],
    ids=["https", "http"],
)
def test_https_is_promised_where_the_site_has_it(environment, promise):
    env = production(**environment)

    assert promise == env.SECURE_HSTS_SECONDS


def test_deployment_check_minds_plain_http(settings):
    def found(base_url):
        env = vars(production(BASE_URL=base_url))
        for name in env:
            if name.startswith(("SECURE_", "SESSION_COOKIE_", "CSRF_", "SILENCED_")):
                setattr(settings, name, env[name])
        messages = checks.run_checks(tags=["security"], include_deployment_checks=True)
        return {message.id for message in messages if not message.is_silenced()}

    minded = found("http://clases.example") - found("https://clases.example")

    assert minded == {"security.W004", "security.W008", "security.W011", "security.W016"}
