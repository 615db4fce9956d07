"""Read the environment once into typed values.

``NAME_FILE`` may name a file with the value of ``NAME``. If a value is missing or malformed, the
service refuses to start and names it.
"""

import base64
import hashlib
import os
import warnings
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from email.utils import parseaddr, quote
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

# The usual gettext_noop needs the settings.
from django.utils.translation.trans_null import gettext_noop

from config.env.calendar import Calendar, parse_calendar
from config.env.monitoring import Monitoring, parse_monitoring
from config.env.payments import Payments, parse_payments
from config.env.seller import Seller, parse_seller
from config.env.sign_in import SignIn, parse_sign_in
from config.env.values import Values, split_address

BASE_DIR = Path(__file__).resolve().parents[2]

DATABASE_ENGINES = ("django.db.backends.sqlite3", "django.db.backends.postgresql")
# Translated; a configured name is not.
SITE_NAME = gettext_noop("Clases de inglés")
# Of the demo, whose sign-in is open to everyone.
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
# With DEBUG or DEMO only.
DEVELOPMENT_KEY = "development-only-" + "0" * 40


@dataclass(frozen=True, slots=True, repr=False)
class Env:
    """Every configuration value; prints none, as half of them are secrets."""

    debug: bool
    demo: bool
    secret_key: str
    secret_key_fallbacks: list[str]
    field_keys: list[str]
    base_url: str
    trusted_proxies: int
    hsts_preload: bool
    database: dict[str, Any]
    cache: dict[str, Any]
    email: dict[str, Any]
    default_from_email: str
    site_name: str

    admin_email: str
    prevent_overlaps: bool
    waiting_list_hours: int
    waiting_list_closes_minutes: int

    seller: Seller
    sign_in: SignIn
    calendar: Calendar
    payments: Payments
    monitoring: Monitoring

    @property
    def is_local(self) -> bool:
        """True on a developer's machine and in the demo."""
        return self.debug or self.demo

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https://")

    @property
    def has_local_names(self) -> bool:
        return self.is_local and self.host in LOCAL_HOSTS

    @property
    def allowed_hosts(self) -> list[str]:
        """Return the host names for Django: IPv6 in brackets."""
        names = LOCAL_HOSTS if self.has_local_names else (self.host,)
        return [f"[{name}]" if ":" in name else name for name in names]

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""


def load_env() -> Env:
    """Read the process environment, completed from the file that ENV_FILE names (``.env``)."""
    file = os.environ.get("ENV_FILE", str(BASE_DIR / ".env"))
    values: MutableMapping[str, str] = dict(os.environ)
    if file and Path(file).is_file():
        values = {**_read_file(Path(file)), **values}
    return parse_env(values)


def parse_env(values: Mapping[str, str]) -> Env:
    """Parse the variables. Raises ImproperlyConfigured."""
    read = Values(values)
    debug = read.boolean("DEBUG", default=False)
    demo = read.boolean("DEMO", default=False)
    local = debug or demo
    secret_key = _secret_key(read, local=local)
    return Env(
        debug=debug,
        demo=demo,
        secret_key=secret_key,
        secret_key_fallbacks=read.words("SECRET_KEY_FALLBACKS"),
        field_keys=_field_keys(read, secret_key, local=local),
        base_url=_base_url(read, local=local, demo=demo),
        trusted_proxies=read.whole_number("TRUSTED_PROXIES", default=0),
        hsts_preload=read.boolean("HSTS_PRELOAD", default=False),
        database=_database(read),
        cache=_cache(read),
        email=_parsed(read, "EMAIL_URL", "consolemail://", environ.Env.email_url_config),
        default_from_email=_sender(read),
        site_name=read.text("SITE_NAME", default=SITE_NAME),
        admin_email=read.text("ADMIN_EMAIL").lower(),
        prevent_overlaps=read.boolean("PREVENT_OVERLAPS", default=True),
        waiting_list_hours=read.duration("WAITING_LIST_HOURS", default=12),
        waiting_list_closes_minutes=read.duration("WAITING_LIST_CLOSES_MINUTES", default=60),
        seller=parse_seller(read),
        sign_in=parse_sign_in(read, local=local),
        calendar=parse_calendar(read, local=local),
        payments=parse_payments(read, local=local),
        monitoring=parse_monitoring(read, local=local),
    )


def _read_file(path: Path) -> dict[str, str]:
    collected: dict[str, str] = {}

    # django-environ writes into this mapping, by default os.environ.
    reader: Any = type("Reader", (environ.Env,), {"ENVIRON": collected})
    reader.read_env(str(path))
    return collected


def _secret_key(read: Values, *, local: bool) -> str:
    key = read.text("SECRET_KEY", default=DEVELOPMENT_KEY if local else "")
    if not key:
        raise ImproperlyConfigured(
            "SECRET_KEY is missing. Set it, or DEBUG=true to try things out."
        )
    return key


def _field_keys(read: Values, secret_key: str, *, local: bool) -> list[str]:
    keys = read.words("FIELD_KEYS")
    if not keys and local:
        keys = [base64.urlsafe_b64encode(hashlib.sha256(secret_key.encode()).digest()).decode()]
    if not keys:
        raise ImproperlyConfigured("FIELD_KEYS is missing: the keys that encrypt stored tokens.")
    for key in keys:
        try:
            size = len(base64.urlsafe_b64decode(key))
        except ValueError:
            size = 0
        if size != 32:  # the length of a Fernet key
            raise ImproperlyConfigured("FIELD_KEYS must hold Fernet keys (32 bytes, base64).")
    return keys


def _base_url(read: Values, *, local: bool, demo: bool) -> str:
    value = read.text("BASE_URL", default="http://localhost:8000" if local else "").rstrip("/")
    parts = split_address(value)
    if parts is None or parts.path:
        raise ImproperlyConfigured("BASE_URL must be an address such as https://clases.example.")
    if demo and parts.hostname not in LOCAL_HOSTS:
        raise ImproperlyConfigured("DEMO is for a BASE_URL on localhost only.")
    return value


def _cache(read: Values) -> dict[str, Any]:
    cache = _parsed(read, "CACHE_URL", "locmemcache://", environ.Env.cache_url_config)
    if cache["BACKEND"] == "django.core.cache.backends.redis.RedisCache":
        cache["BACKEND"] = "config.lib.redis_cache.ForgivingRedisCache"
    return cache


def _database(read: Values) -> dict[str, Any]:
    database = _parsed(
        read, "DATABASE_URL", f"sqlite:///{BASE_DIR / 'db.sqlite3'}", _parse_database_url
    )
    if database.get("ENGINE") not in DATABASE_ENGINES:
        raise ImproperlyConfigured("DATABASE_URL must begin with sqlite:// or postgres://.")
    return database


def _parse_database_url(url: str) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # prints the address, password included
        return dict(environ.Env.db_url_config(url))


def _sender(read: Values) -> str:
    """Return the mails' sender, by default the site at ADMIN_EMAIL."""
    site = quote(read.text("SITE_NAME", default=SITE_NAME))
    teacher = read.text("ADMIN_EMAIL").lower() or "webmaster@localhost"
    sender = read.text("DEFAULT_FROM_EMAIL", default=f'"{site}" <{teacher}>')
    if "@" not in parseaddr(sender)[1]:
        raise ImproperlyConfigured(
            "DEFAULT_FROM_EMAIL must be an address such as Clases <hola@clases.example>; "
            "without it, ADMIN_EMAIL must be one."
        )
    return sender


def _parsed(read: Values, name: str, default: str, parse: Any) -> dict[str, Any]:
    try:
        return dict(parse(read.text(name, default=default)))
    except Exception:  # noqa: BLE001  # for any error, the address cannot be used
        # Without the cause, which may quote a password.
        raise ImproperlyConfigured(f"{name} is not an address that can be understood.") from None
