"""The environment, read once into typed values; nothing else looks at ``os.environ``.

``NAME_FILE`` may name a file that holds the value of ``NAME``, as containers are given secrets. A
missing or malformed value stops the start with an ``ImproperlyConfigured`` that names the variable
and never repeats a secret.
"""

import base64
import hashlib
import json
import os
import warnings
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from email.utils import parseaddr, quote
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

# The usual one asks the settings, which are made of what is read here.
from django.utils.translation.trans_null import gettext_noop

from config.env_monitoring import Monitoring, parse_monitoring
from config.env_values import Values

BASE_DIR = Path(__file__).resolve().parent.parent

DATABASE_ENGINES = ("django.db.backends.sqlite3", "django.db.backends.postgresql")
MAX_DIGITS = 9
MAX_DURATION = 8760
# The usual name reads in the language of the page; a name of one's own is the same in both.
SITE_NAME = gettext_noop("Clases de inglés")
TRIGGER_POLICIES = ("auto", "open", "paid", "secret", "closed")
SIGNATURE_POLICIES = ("require", "prefer")
MERCADOPAGO_API_URL = "https://api.mercadopago.com"
MERCADOPAGO_SITES = (
    "https://*.mercadopago.com.ar",
    "https://*.mercadopago.com",
    "https://*.mercadolibre.com.ar",
    "https://*.mercadolibre.com",
)
# The demo shows made-up people to whoever opens it: nobody else's machine may.
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
# Worth nothing outside somebody's own machine: without DEBUG or DEMO a real key is demanded.
DEVELOPMENT_KEY = "development-only-" + "0" * 40


@dataclass(frozen=True, slots=True, repr=False)
class Env:
    """Every configuration value, parsed. Names follow the variables, in lower case.

    Prints as nothing but its type: half of the values are secrets, and what prints, gets logged.
    """

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

    auth_provider_id: str
    auth_provider_secret: str
    provider_redirect_uri: str
    github_id: str
    github_secret: str
    google_url: str
    google_token_url: str
    github_url: str
    github_api_url: str

    calendar_api_url: str
    calendar_id: str
    calendar_api_key: str
    admin_email: str
    service_account: dict[str, Any] | None
    calendar_cache_seconds: int
    calendar_trigger_policy: str
    calendar_trigger_secret: str
    prevent_overlaps: bool
    waiting_list_hours: int
    waiting_list_closes_minutes: int

    mercadopago_access_token: str
    mercadopago_webhook_secret: str
    mercadopago_webhook_signature: str
    mercadopago_api_url: str
    mercadopago_collector_id: str

    monitoring: Monitoring

    @property
    def checkout_origins(self) -> tuple[str, ...]:
        """Where people pay: the provider's checkout asks them to sign in at several hosts."""
        if self.mercadopago_api_url == MERCADOPAGO_API_URL:
            return MERCADOPAGO_SITES
        return (self.mercadopago_api_url,)

    @property
    def is_local(self) -> bool:
        """Whether this is a developer's machine or the demo, where nothing is real."""
        return self.debug or self.demo

    @property
    def is_https(self) -> bool:
        """Whether people reach the service over https."""
        return self.base_url.startswith("https://")

    @property
    def host(self) -> str:
        """The host name in ``base_url``, without the port."""
        return urlsplit(self.base_url).hostname or ""


def load_env() -> Env:
    """Read the process environment, completed from the file that ENV_FILE names (``.env``)."""
    file = os.environ.get("ENV_FILE", str(BASE_DIR / ".env"))
    values: MutableMapping[str, str] = dict(os.environ)
    if file and Path(file).is_file():
        values = {**_read_file(Path(file)), **values}
    return parse_env(values)


def parse_env(values: Mapping[str, str]) -> Env:
    """Turn the variables into an :class:`Env`.

    Raises ImproperlyConfigured for a missing secret, an address over plain http outside DEBUG and
    DEMO, a demo that is not on localhost, or a value that does not parse.
    """
    read = Values(values)
    debug = _boolean(read, "DEBUG", default=False)
    demo = _boolean(read, "DEMO", default=False)
    local = debug or demo
    google_url = _address(read, "GOOGLE_URL", "", local=local)
    github_url = _address(read, "GITHUB_URL", "", local=local)
    secret_key = _secret_key(read, local=local)
    access_token = read.text("MERCADOPAGO_ACCESS_TOKEN")
    return Env(
        debug=debug,
        demo=demo,
        secret_key=secret_key,
        secret_key_fallbacks=read.words("SECRET_KEY_FALLBACKS"),
        field_keys=_field_keys(read, secret_key, local=local),
        base_url=_base_url(read, local=local, demo=demo),
        trusted_proxies=_whole_number(read, "TRUSTED_PROXIES", default=0),
        hsts_preload=_boolean(read, "HSTS_PRELOAD", default=False),
        database=_database(read),
        cache=_cache(read),
        email=_parsed(read, "EMAIL_URL", "consolemail://", environ.Env.email_url_config),
        default_from_email=_sender(read),
        site_name=read.text("SITE_NAME", default=SITE_NAME),
        auth_provider_id=read.text("AUTH_PROVIDER_ID"),
        auth_provider_secret=read.text("AUTH_PROVIDER_SECRET"),
        provider_redirect_uri=read.text("PROVIDER_REDIRECT_URI"),
        github_id=read.text("GITHUB_ID"),
        github_secret=read.text("GITHUB_SECRET"),
        google_url=google_url,
        google_token_url=(
            f"{google_url}/oauth2/token" if google_url else "https://oauth2.googleapis.com/token"
        ),
        github_url=github_url,
        github_api_url=_address(
            read, "GITHUB_API_URL", github_url or "https://api.github.com", local=local
        ),
        calendar_api_url=_address(
            read, "CALENDAR_API_URL", "https://www.googleapis.com/calendar/v3", local=local
        )
        + "/",
        calendar_id=read.text("CALENDAR_ID", default="primary"),
        calendar_api_key=read.text("CALENDAR_API_KEY"),
        admin_email=read.text("ADMIN_EMAIL").lower(),
        service_account=_service_account(read),
        calendar_cache_seconds=_whole_number(read, "CALENDAR_CACHE_SECONDS", default=15),
        calendar_trigger_policy=_trigger_policy(read),
        calendar_trigger_secret=read.text("CALENDAR_TRIGGER_SECRET"),
        prevent_overlaps=_boolean(read, "PREVENT_OVERLAPS", default=True),
        waiting_list_hours=_duration(read, "WAITING_LIST_HOURS", default=12),
        waiting_list_closes_minutes=_duration(read, "WAITING_LIST_CLOSES_MINUTES", default=60),
        mercadopago_access_token=access_token,
        mercadopago_webhook_secret=read.text("MERCADOPAGO_WEBHOOK_SECRET"),
        mercadopago_webhook_signature=_one_of(
            read, "MERCADOPAGO_WEBHOOK_SIGNATURE", SIGNATURE_POLICIES
        ),
        mercadopago_api_url=_address(read, "MERCADOPAGO_API_URL", MERCADOPAGO_API_URL, local=local),
        mercadopago_collector_id=_collector_id(read, access_token),
        monitoring=parse_monitoring(read, local=local),
    )


def _read_file(path: Path) -> dict[str, str]:
    """Parse a dotenv file without touching ``os.environ``."""
    collected: dict[str, str] = {}

    # django-environ writes what it reads into this mapping, by default the process's own.
    reader: Any = type("Reader", (environ.Env,), {"ENVIRON": collected})
    reader.read_env(str(path))
    return collected


def _boolean(read: Values, name: str, *, default: bool) -> bool:
    value = read.text(name)
    known = {
        "": default,
        "true": True,
        "1": True,
        "yes": True,
        "false": False,
        "0": False,
        "no": False,
    }
    if value.lower() not in known:
        raise ImproperlyConfigured(f"{name} must be true or false.")
    return known[value.lower()]


def _whole_number(read: Values, name: str, *, default: int) -> int:
    value = read.text(name, default=str(default))
    if not (value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS):
        raise ImproperlyConfigured(f"{name} must be a whole number.")
    return int(value)


def _duration(read: Values, name: str, *, default: int) -> int:
    """Read a number of hours or minutes: from one to as many as are worth a year of hours."""
    value = _whole_number(read, name, default=default)
    if not 0 < value <= MAX_DURATION:
        raise ImproperlyConfigured(f"{name} must be from 1 to {MAX_DURATION}.")
    return value


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
    parts = _split_address(value)
    if parts is None or parts.path:
        raise ImproperlyConfigured("BASE_URL must be an address such as https://clases.example.")
    if demo and parts.hostname not in LOCAL_HOSTS:
        raise ImproperlyConfigured("DEMO is for a BASE_URL on localhost only.")
    return value


def _address(read: Values, name: str, default: str, *, local: bool) -> str:
    """A provider's base address, without a final slash.

    Plain http is for stand-ins on one's own machine: allauth trusts the token endpoint's answer
    because it came over TLS, and does not check the signature of the id token.
    """
    value = read.text(name, default=default)
    if not value:
        return ""
    parts = _split_address(value)
    if parts is None:
        raise ImproperlyConfigured(f"{name} must be an http(s) address.")
    if parts.scheme == "http" and not local:
        raise ImproperlyConfigured(f"{name} must start with https:// unless DEBUG or DEMO is true.")
    return value.rstrip("/")


def _split_address(value: str) -> SplitResult | None:
    """Take an address apart; None unless it is scheme, host, port and path, and nothing else."""
    try:
        parts = urlsplit(value)
        is_usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        return None
    has_more = parts.username is not None or parts.query or parts.fragment or " " in value
    return parts if is_usable and not has_more else None


def _cache(read: Values) -> dict[str, Any]:
    cache = _parsed(read, "CACHE_URL", "locmemcache://", environ.Env.cache_url_config)
    if cache["BACKEND"] == "django.core.cache.backends.redis.RedisCache":
        cache["BACKEND"] = "config.forgiving_cache.ForgivingRedisCache"
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
    """Who mails are from, ``Name <address>``: unless it is said, the site, as the teacher."""
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
    except Exception:  # noqa: BLE001  # whatever it is, the address cannot be used
        # Without the original, whose text may hold a password.
        raise ImproperlyConfigured(f"{name} is not an address that can be understood.") from None


def _service_account(read: Values) -> dict[str, Any] | None:
    text = read.text("SERVICE_ACCOUNT_JSON")
    if not text:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict) or value.get("type") != "service_account":
        raise ImproperlyConfigured("SERVICE_ACCOUNT_JSON must be a service account's JSON key.")
    return value


def _trigger_policy(read: Values) -> str:
    policy = _one_of(read, "CALENDAR_TRIGGER_POLICY", TRIGGER_POLICIES)
    if policy == "secret" and not read.text("CALENDAR_TRIGGER_SECRET"):
        raise ImproperlyConfigured(
            "CALENDAR_TRIGGER_SECRET is missing: CALENDAR_TRIGGER_POLICY=secret compares it."
        )
    return policy


def _one_of(read: Values, name: str, known: tuple[str, ...]) -> str:
    """Give one of the known words; the first is the default."""
    value = read.text(name, default=known[0])
    if value not in known:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(known)}.")
    return value


def _collector_id(read: Values, access_token: str) -> str:
    """Whose account the money must reach; Mercado Pago's tokens end with it."""
    value = read.text("MERCADOPAGO_COLLECTOR_ID", default=access_token.rpartition("-")[2])
    if access_token and not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(
            "MERCADOPAGO_COLLECTOR_ID must be the number of the account that takes the money; "
            "MERCADOPAGO_ACCESS_TOKEN does not end with it."
        )
    return value
