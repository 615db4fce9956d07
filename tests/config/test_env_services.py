"""Database, cache and mail as the environment names them."""

import pytest

from config.env import environment
from config.env.values import Values
from tests.config.environments import development, refusal


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
        (
            "postgres://db.example/classes?sslmode=require",
            {"OPTIONS": {"sslmode": "require"}},
        ),
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
