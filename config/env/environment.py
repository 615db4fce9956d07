"""Read the environment; a file that ``NAME_FILE`` names may hold the value of ``NAME``.

If a value is missing or malformed, ImproperlyConfigured names it and the service does not start.
"""

import base64
import hashlib
import os
import warnings
from email.utils import parseaddr, quote
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from config.env.values import Values, split_address

BASE_DIR = Path(__file__).resolve().parents[2]

SQLITE, POSTGRESQL = "django.db.backends.sqlite3", "django.db.backends.postgresql"
# A statement that takes longer, or waits longer for a lock, fails.
LIMITS = "-c statement_timeout=15s -c lock_timeout=5s"
# A machine that vanishes ends no connection: the kernel would wait for it for a quarter of an hour.
# https://www.postgresql.org/docs/current/libpq-connect.html
TCP = {
    "tcp_user_timeout": 8_000,  # milliseconds
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 2,
}
# The demo's hosts: its sign-in is open to all.
LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
# With DEBUG or DEMO only.
DEVELOPMENT_KEY = "development-only-" + "0" * 40


def load_env() -> Values:
    """Return the process environment, completed from the file that ENV_FILE names (``.env``)."""
    file = Path(os.environ.get("ENV_FILE", BASE_DIR / ".env"))
    collected: dict[str, str] = {}
    if file.is_file():
        # django-environ writes into this mapping, by default os.environ.
        reader: Any = type("Reader", (environ.Env,), {"ENVIRON": collected})
        reader.read_env(str(file))
    return Values({**collected, **os.environ})


def secret_key(env: Values) -> str:
    key = env.text("SECRET_KEY", default=DEVELOPMENT_KEY if env.is_local else "")
    if not key:
        raise ImproperlyConfigured(
            "SECRET_KEY is missing. Set it, or DEBUG=true to try things out."
        )
    return key


def field_keys(env: Values) -> list[str]:
    keys = env.words("FIELD_KEYS")
    if not keys and env.is_local:
        keys = [
            base64.urlsafe_b64encode(hashlib.sha256(secret_key(env).encode()).digest()).decode()
        ]
    if not keys:
        raise ImproperlyConfigured("FIELD_KEYS is missing: the keys that encrypt stored tokens.")
    try:
        for key in keys:
            Fernet(key)
    except ValueError:  # without the cause, which may quote a key
        raise ImproperlyConfigured("FIELD_KEYS must hold Fernet keys (32 bytes, base64).") from None
    return keys


def base_url(env: Values) -> str:
    value = env.text("BASE_URL", default="http://localhost:8000" if env.is_local else "")
    value = value.rstrip("/")
    parts = split_address(value)
    if parts is None or parts.path:
        raise ImproperlyConfigured("BASE_URL must be an address such as https://clases.example.")
    if env.boolean("DEMO", default=False) and host_of(value) not in LOCAL_HOSTS:
        raise ImproperlyConfigured("DEMO is for a BASE_URL on localhost only.")
    return value


def host_of(address: str) -> str:
    """IPv6 in brackets, as in headers."""
    name = urlsplit(address).hostname or ""
    return f"[{name}]" if ":" in name else name


def cache(env: Values) -> dict[str, Any]:
    cache = _parsed(env, "CACHE_URL", "locmemcache://", environ.Env.cache_url_config)
    if cache["BACKEND"] == "django.core.cache.backends.redis.RedisCache":
        return {**cache, "BACKEND": "config.lib.redis_cache.ForgivingRedisCache"}
    if cache["BACKEND"] != "django.core.cache.backends.locmem.LocMemCache":
        raise ImproperlyConfigured("CACHE_URL must begin with locmemcache:// or redis://.")
    # With Django's 300 entries, many addresses would displace each other's limits.
    return {**cache, "OPTIONS": {"MAX_ENTRIES": 20_000, **cache.get("OPTIONS", {})}}


def database(env: Values) -> dict[str, Any]:
    """Options in the address win over ours.

    No pool: after a restart of PostgreSQL, psycopg's hands out dead connections or waits.
    """
    default = f"sqlite:///{BASE_DIR / 'db.sqlite3'}"
    database = _parsed(env, "DATABASE_URL", default, environ.Env.db_url_config)
    if database.get("ENGINE") not in {SQLITE, POSTGRESQL}:
        raise ImproperlyConfigured("DATABASE_URL must begin with sqlite:// or postgres://.")
    asked = database.get("OPTIONS", {})
    options = _sqlite(asked) if database["ENGINE"] == SQLITE else _postgresql(asked)
    return {"CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True, **database, "OPTIONS": options}


def _sqlite(asked: dict[str, Any]) -> dict[str, Any]:
    return {
        # SQLite ignores row locks: a writer waits for the write lock when its transaction begins.
        # With the default mode racing writers get "database is locked".
        "transaction_mode": "IMMEDIATE",
        # Long enough for a queue of writers, short enough to answer within ten seconds.
        "timeout": 8,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        # INSERT OR REPLACE fires the triggers of append-only tables only with this.
        " PRAGMA recursive_triggers=ON;",
        **asked,
    }


def _postgresql(asked: dict[str, Any]) -> dict[str, Any]:
    return {
        "connect_timeout": 5,
        **TCP,
        **asked,
        # PostgreSQL takes the last of two values: DATABASE_URL's wins.
        # PgBouncer refuses options that end in a space.
        "options": f"{LIMITS} {asked.get('options', '')}".strip(),
    }


def email_settings(env: Values) -> dict[str, Any]:
    found = _parsed(env, "EMAIL_URL", "consolemail://", environ.Env.email_url_config)
    return {name: value for name, value in found.items() if value and name.startswith("EMAIL_")}


def sender(env: Values, site_name: str) -> str:
    teacher = env.text("ADMIN_EMAIL").lower() or "webmaster@localhost"
    sender = env.text("DEFAULT_FROM_EMAIL", default=f'"{quote(site_name)}" <{teacher}>')
    if "@" not in parseaddr(sender)[1]:
        raise ImproperlyConfigured(
            "DEFAULT_FROM_EMAIL must be an address such as Clases <hola@clases.example>; "
            "without it, ADMIN_EMAIL must be one."
        )
    return sender


def _parsed(env: Values, name: str, default: str, parse: Any) -> dict[str, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # prints the address, password included
            return dict(parse(env.text(name, default=default)))
    except Exception:  # noqa: BLE001  # for any error, the address cannot be used
        # Without the cause, which may quote a password.
        raise ImproperlyConfigured(f"{name} is not an address that can be understood.") from None
