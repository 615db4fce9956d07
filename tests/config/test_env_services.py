"""Database, cache and mail as the environment names them."""

import pytest

from config.env import environment
from config.env.values import Values
from tests.config.environments import development, production, refusal


@pytest.mark.parametrize(
    ("values", "sender"),
    [
        (
            {"ADMIN_EMAIL": "Profe@Clases.Example"},
            '"Clases" <profe@clases.example>',
        ),
        (
            {"ADMIN_EMAIL": "profe@clases.example", "SITE_NAME": 'English "now"'},
            r'"English \"now\"" <profe@clases.example>',
        ),
        ({"DEFAULT_FROM_EMAIL": "hola@clases.example"}, "hola@clases.example"),
        ({}, '"Clases" <webmaster@localhost>'),
    ],
    ids=["the teacher", "a name with quotes", "as said", "nobody"],
)
def test_mails_have_a_sender(values, sender):
    assert sender == development(**values).DEFAULT_FROM_EMAIL


def test_sender_without_an_address_is_named():
    assert "DEFAULT_FROM_EMAIL must be an address" in refusal(DEFAULT_FROM_EMAIL="Clases")


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
    ],
)
def test_database(url, expected):
    database = environment.database(Values({"DATABASE_URL": url}))

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


def test_cache_that_cannot_count_is_refused():
    assert "CACHE_URL must begin with" in refusal(CACHE_URL="dbcache://a_table")


def test_cache_and_mail():
    env = development(
        CACHE_URL="redis://cache.example:6379/1",
        EMAIL_URL="smtp+tls://user:p%40ss@mail.example:587",
    )

    assert env.CACHES["default"]["BACKEND"] == "config.lib.redis_cache.ForgivingRedisCache"
    assert env.CACHES["default"]["LOCATION"] == "redis://cache.example:6379/1"
    assert env.EMAIL_HOST == "mail.example"
    assert (env.EMAIL_HOST_PASSWORD, env.EMAIL_USE_TLS) == ("p@ss", True)


@pytest.mark.parametrize(
    ("values", "is_offered"),
    [
        ({}, False),
        ({"EMAIL_URL": "filemail:///mails"}, False),
        ({"EMAIL_URL": "smtp://h:25"}, True),
    ],
    ids=["unset", "files", "server"],
)
def test_sign_in_by_mail_needs_a_mail_server(values, is_offered):
    assert development(**values).SIGN_IN_BY_MAIL is is_offered


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


TOKEN = "APP_USR-6295877106812064-112008-0123456789abcdef-1000000001"


def test_collector_is_the_end_of_the_access_token():
    assert development(MERCADOPAGO_ACCESS_TOKEN=TOKEN).MERCADOPAGO_COLLECTOR_ID == "1000000001"


@pytest.mark.parametrize("token", ["s3cret", "APP_USR-1-", "APP_USR-٣"])
def test_token_without_a_collector_is_refused_and_not_shown(token):
    text = refusal(MERCADOPAGO_ACCESS_TOKEN=token)

    assert "MERCADOPAGO_ACCESS_TOKEN must end" in text
    assert token not in text
