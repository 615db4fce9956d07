"""config/env.py: the environment, parsed once, or a refusal that names the variable."""

import base64
import json
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from config.env import DEVELOPMENT_KEY, load_env, parse_env
from tests.processes import ROOT

KEY = Fernet.generate_key().decode()
PRODUCTION = {
    "SECRET_KEY": "a-real-key",
    "FIELD_KEYS": KEY,
    "BASE_URL": "https://clases.example",
}


def development(**values):
    return parse_env({"DEBUG": "true", **values})


def production(**values):
    return parse_env({**PRODUCTION, **values})


def refusal(**values):
    """Give everything that a refusal prints, causes included."""
    with pytest.raises(ImproperlyConfigured) as caught:
        development(**values)
    return "".join(traceback.format_exception(caught.value))


# --- Defaults -------------------------------------------------------------------------------------


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
    program = "from config.env import load_env; print(load_env().base_url)"

    done = subprocess.run(
        [sys.executable, "-c", program], env=variables, cwd=ROOT, capture_output=True, text=True
    )

    assert (done.stdout, done.stderr) == ("http://localhost:8000\n", "")


# --- Text -----------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("value", ["$ecret", "$DEBUG", r"\$ecret", "a$b", "#1", "ñ", "a=b", "'q'"])
def test_secrets_are_taken_as_they_are(value):
    assert development(AUTH_PROVIDER_SECRET=value).sign_in.auth_provider_secret == value
    assert production(SECRET_KEY=value).secret_key == value


# --- Files ----------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def written(content, name="secret"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return written


def test_any_value_may_stand_in_a_file(file):
    env = parse_env(
        {
            "SECRET_KEY_FILE": file("a-real-key\n", "secret"),
            "FIELD_KEYS_FILE": file(f" {KEY} \n", "keys"),
            "BASE_URL_FILE": file("https://clases.example", "address"),
            "DATABASE_URL_FILE": file("postgres://ana:pass@db/classes\n", "database"),
            "SERVICE_ACCOUNT_JSON_FILE": file('{"type": "service_account"}', "account"),
            "TRUSTED_PROXIES_FILE": file("1", "proxies"),
        }
    )

    assert (env.secret_key, env.field_keys) == ("a-real-key", [KEY])
    assert (env.base_url, env.trusted_proxies) == ("https://clases.example", 1)
    assert (env.database["USER"], env.database["PASSWORD"]) == ("ana", "pass")
    assert env.calendar.service_account == {"type": "service_account"}


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


@pytest.mark.parametrize("path", ["/nowhere/at/all", "/", "a\0b"])
def test_file_that_is_none_is_refused(path):
    assert "SECRET_KEY_FILE must name a file" in refusal(SECRET_KEY_FILE=path)


def test_values_print_as_nothing(file):
    env = production(GITHUB_SECRET_FILE=file("s3cret"), EMAIL_URL="smtp://ana:m4il@host:25")

    assert (env.sign_in.github_secret, env.email["EMAIL_HOST_PASSWORD"]) == ("s3cret", "m4il")
    for text in (repr(env), str(env), f"{[env]}"):
        assert not any(secret in text for secret in ("s3cret", "m4il", "a-real-key", KEY))


@pytest.mark.parametrize("blank", ["", "  "])
def test_empty_variable_counts_as_not_set(blank):
    names = (
        "SECRET_KEY FIELD_KEYS BASE_URL DATABASE_URL CACHE_URL EMAIL_URL SITE_NAME CALENDAR_ID "
        "GOOGLE_URL GITHUB_URL GITHUB_API_URL CALENDAR_API_URL CALENDAR_CACHE_SECONDS "
        "CALENDAR_TRIGGER_POLICY PREVENT_OVERLAPS SERVICE_ACCOUNT_JSON DEMO "
        "CALENDAR_TRIGGER_SECRET MERCADOPAGO_ACCESS_TOKEN MERCADOPAGO_WEBHOOK_SECRET "
        "MERCADOPAGO_WEBHOOK_SIGNATURE MERCADOPAGO_API_URL MERCADOPAGO_COLLECTOR_ID "
        "TRUSTED_PROXIES HSTS_PRELOAD WAITING_LIST_HOURS WAITING_LIST_CLOSES_MINUTES"
    )

    assert development(**dict.fromkeys(names.split(), blank)) == development()


def test_admin_email_is_compared_in_lower_case():
    assert development(ADMIN_EMAIL=" Profe@Clases.Example ").admin_email == "profe@clases.example"


@pytest.mark.parametrize(
    ("values", "sender"),
    [
        (
            {"ADMIN_EMAIL": "Profe@Clases.Example"},
            '"Clases de inglés" <profe@clases.example>',
        ),
        (
            {"ADMIN_EMAIL": "profe@clases.example", "SITE_NAME": 'English "now"'},
            r'"English \"now\"" <profe@clases.example>',
        ),
        ({"DEFAULT_FROM_EMAIL": "hola@clases.example"}, "hola@clases.example"),
        ({}, '"Clases de inglés" <webmaster@localhost>'),
    ],
    ids=["the teacher", "a name with quotes", "as said", "nobody"],
)
def test_mails_have_a_sender(values, sender):
    assert development(**values).default_from_email == sender


def test_sender_without_an_address_is_named():
    assert "DEFAULT_FROM_EMAIL must be an address" in refusal(DEFAULT_FROM_EMAIL="Clases")


def test_former_secret_keys_are_a_list():
    assert development(SECRET_KEY_FALLBACKS="old, older").secret_key_fallbacks == ["old", "older"]
    assert development().secret_key_fallbacks == []


# --- Booleans, numbers, choices -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(text, True) for text in ("true", "True", "1", "yes", "")],
        *[(text, False) for text in ("false", "FALSE", "0", "no")],
    ],
)
def test_boolean(text, value):
    assert development(PREVENT_OVERLAPS=text).prevent_overlaps is value


@pytest.mark.parametrize("text", ["maybe", "2", "yess", "truee", "none"])
def test_boolean_that_is_none_is_named(text):
    assert "PREVENT_OVERLAPS must be true or false." in refusal(PREVENT_OVERLAPS=text)


def test_debug_that_is_no_boolean_is_named():
    with pytest.raises(ImproperlyConfigured, match="DEBUG must be true or false"):
        parse_env({"DEBUG": "ture"})


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("60", 60)])
def test_seconds(text, value):
    assert development(CALENDAR_CACHE_SECONDS=text).calendar.calendar_cache_seconds == value


@pytest.mark.parametrize("text", ["0", "8761", "1.5", "-1"])
@pytest.mark.parametrize("name", ["WAITING_LIST_HOURS", "WAITING_LIST_CLOSES_MINUTES"])
def test_a_window_that_is_none_is_named(name, text):
    assert f"{name} must be" in refusal(**{name: text})


def test_the_windows_of_the_waiting_list():
    env = development(WAITING_LIST_HOURS="3", WAITING_LIST_CLOSES_MINUTES="30")

    assert (env.waiting_list_hours, env.waiting_list_closes_minutes) == (3, 30)


def test_trusted_proxies():
    assert production(TRUSTED_PROXIES="2").trusted_proxies == 2
    assert "TRUSTED_PROXIES must be a whole number" in refusal(TRUSTED_PROXIES="all")


@pytest.mark.parametrize("text", ["-1", "1.5", "15s", "٣", "1e3", "9" * 5000])
def test_seconds_that_are_no_number_are_named(text):
    assert "CALENDAR_CACHE_SECONDS must be" in refusal(CALENDAR_CACHE_SECONDS=text)


@pytest.mark.parametrize("policy", ["auto", "open", "paid", "closed"])
def test_trigger_policy(policy):
    assert development(CALENDAR_TRIGGER_POLICY=policy).calendar.calendar_trigger_policy == policy


@pytest.mark.parametrize("policy", ["shut", "Paid", "auto open"])
def test_unknown_trigger_policy_is_named(policy):
    assert "CALENDAR_TRIGGER_POLICY must be one of" in refusal(CALENDAR_TRIGGER_POLICY=policy)


def test_trigger_secret_is_demanded_by_its_policy():
    env = development(CALENDAR_TRIGGER_POLICY="secret", CALENDAR_TRIGGER_SECRET="s3cr3t")

    assert env.calendar.calendar_trigger_secret == "s3cr3t"
    assert "CALENDAR_TRIGGER_SECRET" in refusal(CALENDAR_TRIGGER_POLICY="secret")


# --- Payments -------------------------------------------------------------------------------------

TOKEN = "APP_USR-6295877106812064-112008-0123456789abcdef-1000000001"


def test_collector_is_the_end_of_the_access_token():
    assert (
        development(MERCADOPAGO_ACCESS_TOKEN=TOKEN).payments.mercadopago_collector_id
        == "1000000001"
    )


def test_collector_may_be_named():
    env = development(MERCADOPAGO_ACCESS_TOKEN="token", MERCADOPAGO_COLLECTOR_ID="42")

    assert env.payments.mercadopago_collector_id == "42"


@pytest.mark.parametrize("token", ["s3cret", "APP_USR-1-", "APP_USR-٣"])
def test_token_without_a_collector_is_refused_and_not_shown(token):
    text = refusal(MERCADOPAGO_ACCESS_TOKEN=token)

    assert "MERCADOPAGO_COLLECTOR_ID must be" in text
    assert token not in text


def test_notifications_must_be_signed_unless_it_is_said():
    assert development().payments.mercadopago_webhook_signature == "require"
    env = development(MERCADOPAGO_WEBHOOK_SIGNATURE="prefer")
    assert env.payments.mercadopago_webhook_signature == "prefer"
    assert "MERCADOPAGO_WEBHOOK_SIGNATURE" in refusal(MERCADOPAGO_WEBHOOK_SIGNATURE="none")


# --- The demo -------------------------------------------------------------------------------------


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


# --- Addresses ------------------------------------------------------------------------------------

ADDRESSES = ["GOOGLE_URL", "GITHUB_URL", "GITHUB_API_URL", "CALENDAR_API_URL"]


@pytest.mark.parametrize(
    ("value", "host", "is_https"),
    [
        ("https://clases.example", "clases.example", True),
        ("https://clases.example/", "clases.example", True),
        ("http://localhost:8000", "localhost", False),
        ("https://[::1]:8443", "::1", True),
    ],
)
def test_base_url(value, host, is_https):
    env = development(BASE_URL=value)

    assert env.base_url == value.rstrip("/")
    assert (env.host, env.is_https) == (host, is_https)


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


@pytest.mark.parametrize("value", [*MALFORMED, "https://clases.example/path"])
def test_malformed_base_url_is_named(value):
    text = refusal(BASE_URL=value)

    assert "BASE_URL must be an address such as https://clases.example." in text
    assert "hunter2" not in text


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


def test_calendar_address_ends_in_a_slash():
    for value in ("https://x.example/calendar/v3", "https://x.example/calendar/v3/"):
        env = development(CALENDAR_API_URL=value)

        assert env.calendar.calendar_api_url == "https://x.example/calendar/v3/"


def test_addresses_of_one_provider_go_together():
    env = development(GOOGLE_URL="http://localhost:8101/", GITHUB_URL="http://localhost:8102")

    assert env.sign_in.google_token_url == "http://localhost:8101/oauth2/token"
    assert env.sign_in.github_api_url == "http://localhost:8102"


# --- Database, cache, mail ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite:////data/db.sqlite3", {"NAME": "/data/db.sqlite3"}),
        ("sqlite://:memory:", {"NAME": ":memory:"}),
        (
            "postgres://classes:p%40ss@db.example:5433/classes",
            {
                "ENGINE": "django.db.backends.postgresql",
                "NAME": "classes",
                "USER": "classes",
                "PASSWORD": "p@ss",
                "HOST": "db.example",
                "PORT": 5433,
            },
        ),
        ("postgresql://db.example/classes", {"ENGINE": "django.db.backends.postgresql"}),
        (
            "postgres://db.example/classes?sslmode=require",
            {"OPTIONS": {"sslmode": "require"}},
        ),
    ],
)
def test_database(url, expected):
    database = development(DATABASE_URL=url).database

    assert database == database | expected


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "mysql://user:hunter2@db.example/classes",
        "oracle://user:hunter2@db.example/classes",
        "foo://db.example",
        "postgres://user:hunter2/x@db.example/classes",
        "postgres://user:hunter2@db.example:port/classes",
        "postgres://user:hunter2@[::1/classes",
    ],
)
def test_unusable_database_is_named_without_its_password(url):
    text = refusal(DATABASE_URL=url)

    assert "DATABASE_URL" in text.splitlines()[-1]
    assert "hunter2" not in text


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("CACHE_URL", "foo://user:hunter2@cache.example"),
        ("EMAIL_URL", "foo://user:hunter2@mail.example"),
        ("EMAIL_URL", "smtp://user:hunter2/x@mail.example"),
        ("EMAIL_URL", "smtp://user:hunter2@mail.example:port"),
    ],
)
def test_unusable_service_is_named_without_its_password(name, url):
    text = refusal(**{name: url})

    assert f"{name} is not an address that can be understood." in text
    assert "hunter2" not in text


def test_cache_and_mail():
    env = development(
        CACHE_URL="redis://cache.example:6379/1",
        EMAIL_URL="smtp+tls://user:p%40ss@mail.example:587",
    )

    assert env.cache["BACKEND"] == "config.forgiving_cache.ForgivingRedisCache"
    assert env.cache["LOCATION"] == "redis://cache.example:6379/1"
    assert env.email["EMAIL_HOST"] == "mail.example"
    assert (env.email["EMAIL_HOST_PASSWORD"], env.email["EMAIL_USE_TLS"]) == ("p@ss", True)


# --- Keys -----------------------------------------------------------------------------------------


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


def test_service_account_is_parsed():
    account = {"type": "service_account", "client_email": "robot@example.com"}

    env = development(SERVICE_ACCOUNT_JSON=json.dumps(account))

    assert env.calendar.service_account == account


@pytest.mark.parametrize(
    "text", ["hunter2", "{", "[]", "null", '"x"', "{}", '{"type":"authorized_user"}']
)
def test_unusable_service_account_is_not_repeated(text):
    said = refusal(SERVICE_ACCOUNT_JSON=text)

    assert "SERVICE_ACCOUNT_JSON must be a service account's JSON key." in said
    assert "hunter2" not in said


# --- The file -------------------------------------------------------------------------------------


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

    assert (env.site_name, env.admin_email) == ("From the process", "file@example.com")


def test_file_may_hold_quotes_comments_and_dollars(env_file):
    env_file.write_text(
        "# what follows is made up\nDEBUG=true\nSITE_NAME='Clases # 1'\n"
        'AUTH_PROVIDER_SECRET="$ecret"\nexport GITHUB_SECRET=s3cret\n'
    )

    env = load_env()

    assert (env.site_name, env.sign_in.auth_provider_secret) == ("Clases # 1", "$ecret")
    assert env.sign_in.github_secret == "s3cret"


def test_file_that_is_not_there_is_no_error(env_file, monkeypatch):
    monkeypatch.setenv("DEBUG", "true")

    assert load_env().site_name == "Clases de inglés"


def test_file_does_not_change_the_process(env_file, monkeypatch):
    import os

    env_file.write_text("DEBUG=true\nSITE_NAME=From the file\n")

    load_env()

    assert "SITE_NAME" not in os.environ


def test_log_is_for_programs_unless_it_is_one_s_own_machine():
    assert production().monitoring.log_format == "json"
    assert development().monitoring.log_format == "text"
    assert development(LOG_FORMAT="json").monitoring.log_format == "json"
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
    assert development(SENTRY_DSN="http://k3y@localhost/1").monitoring.sentry_dsn
    with pytest.raises(ImproperlyConfigured, match="SENTRY_DSN"):
        production(SENTRY_DSN="http://k3y@sentry.example/1")


def test_sentry_dsn():
    monitoring = production(SENTRY_DSN="https://k3y@sentry.example/1", RELEASE="1.2").monitoring

    assert (monitoring.sentry_dsn, monitoring.release) == ("https://k3y@sentry.example/1", "1.2")
    assert monitoring.sentry_environment == "production"
    assert "k3y" not in repr(monitoring)
