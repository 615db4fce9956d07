"""Django's settings; ``config.env`` reads the values that vary."""

from datetime import timedelta
from typing import Any

import django_stubs_ext

from config.content_policy import page_policy
from config.databases import database_settings
from config.env.environment import BASE_DIR, load_env
from config.log_settings import log_settings
from config.monitoring.counting import share_counts
from config.sign_in_providers import provider_settings
from config.version import VERSION

# Allows annotations such as ModelAdmin[VirtualClass] at run time.
django_stubs_ext.monkeypatch()

ENV = load_env()

# --- Core -------------------------------------------------------------------------------------

DEBUG = ENV.debug
DEMO = ENV.demo
SECRET_KEY = ENV.secret_key
SECRET_KEY_FALLBACKS = ENV.secret_key_fallbacks
BASE_URL = ENV.base_url
ALLOWED_HOSTS = ENV.allowed_hosts
TRUSTED_PROXIES = ENV.trusted_proxies
SITE_NAME = ENV.site_name
SELLER = ENV.seller

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

INSTALLED_APPS = [
    "config.admin.TeacherAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "rest_framework",
    "accounts",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "calendar_sync",
    "bookings",
    # The commands demo, seed_demo and drill; only a checkout has them, and the image not.
    *(["tests.demo"] if DEMO else []),
]

MIDDLEWARE = [
    "config.monitoring.request_log.RequestLogMiddleware",
    "config.web.clock.ClockMiddleware",
    "config.web.headers.HeadersMiddleware",
    "config.web.limits.HeaderLimitMiddleware",
    "config.web.plain_http.PlainHttpMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "bookings.api.kept_listing.KeptListingMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.middleware.SessionUserMiddleware",
    "accounts.middleware.PrivacyMiddleware",
    "accounts.middleware.LanguageMiddleware",
    "accounts.middleware.PageMessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.web.wrong_method.WrongMethodMiddleware",
]
if ENV.has_local_names:
    plain_http = MIDDLEWARE.index("config.web.plain_http.PlainHttpMiddleware")
    MIDDLEWARE.insert(plain_http, "config.web.local_names.LocalNameMiddleware")
if ENV.is_local:
    # Elsewhere WhiteNoise sends the files that collectstatic compressed.
    MIDDLEWARE.insert(0, "django.middleware.gzip.GZipMiddleware")

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "bookings.pages.context.site",
            ],
        },
    },
]

# --- Database ---------------------------------------------------------------------------------

DATABASES: dict[str, dict[str, Any]] = {"default": database_settings(ENV.database)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES: dict[str, dict[str, Any]] = {"default": ENV.cache}
if CACHES["default"]["BACKEND"].endswith((".LocMemCache", ".DatabaseCache")):
    # By default 300 entries: a crowd of addresses would push out each other's limits.
    CACHES["default"].setdefault("OPTIONS", {}).setdefault("MAX_ENTRIES", 20_000)

# --- People and sessions ----------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "/inicio"
LOGIN_REDIRECT_URL = "/inicio"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"

ADMIN_EMAIL = ENV.admin_email
FIELD_KEYS = ENV.field_keys

# Sign-ins started from one address in a minute.
MAX_SIGN_IN_STARTS = 100

SESSION_ENGINE = "accounts.sessions.engine"
SESSION_COOKIE_AGE = 2_592_000
# A session older than this is renewed by the next request. Spec: Limits, session update interval.
SESSION_UPDATE_AGE = timedelta(seconds=43_200)
# A staff session ends after so long without use.
PANEL_SESSION_AGE = timedelta(hours=12)
# How long a sign-in is fresh enough to connect identities, and for guarded panel actions.
FRESH_SIGN_IN_AGE = timedelta(minutes=10)
# Browsers accept this prefix from this very host only, over https.
_prefix = "__Host-" if ENV.is_https else ""
SESSION_COOKIE_NAME = f"{_prefix}session"
SESSION_COOKIE_SECURE = ENV.is_https
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = f"{_prefix}csrftoken"
CSRF_COOKIE_SECURE = ENV.is_https
CSRF_COOKIE_HTTPONLY = True
MESSAGE_COOKIE_NAME = f"{_prefix}messages"
MESSAGE_STORAGE = "config.web.messages.MessageStorage"
CSRF_TRUSTED_ORIGINS = [ENV.base_url]
CSRF_FAILURE_VIEW = "config.web.errors.csrf_failure"

# --- Sign-in providers ------------------------------------------------------------------------

GOOGLE_URL = ENV.sign_in.google_url
GOOGLE_TOKEN_URL = ENV.sign_in.google_token_url
GOOGLE_REVOKE_URL = ENV.sign_in.google_revoke_url
GITHUB_URL = ENV.sign_in.github_url
GITHUB_API_URL = ENV.sign_in.github_api_url
AUTH_PROVIDER_ID = ENV.sign_in.auth_provider_id
AUTH_PROVIDER_SECRET = ENV.sign_in.auth_provider_secret
PROVIDER_REDIRECT_URI = ENV.sign_in.provider_redirect_uri

CALENDAR_SCOPE = "https://www.googleapis.com/auth/calendar.events"
MEET_SCOPE = "https://www.googleapis.com/auth/meetings.space.settings"

ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # demanded by SOCIALACCOUNT_ONLY; our adapter checks instead
ACCOUNT_ADAPTER = "accounts.sign_in.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "accounts.sign_in.adapters.SocialAccountAdapter"
SOCIALACCOUNT_ONLY = True
SOCIALACCOUNT_QUERY_EMAIL = True
SOCIALACCOUNT_STORE_TOKENS = False
# Seconds for each of up to three requests.
SOCIALACCOUNT_REQUESTS_TIMEOUT = 3
# The same address at a second provider is another identity until the person connects it.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_PROVIDERS = provider_settings(ENV.sign_in)

# --- Calendar ---------------------------------------------------------------------------------

CALENDAR_BACKEND = "calendar_sync.google.calendar.GoogleCalendar"
CALENDAR_API_URL = ENV.calendar.calendar_api_url
CALENDAR_ID = ENV.calendar.calendar_id
CALENDAR_API_KEY = ENV.calendar.calendar_api_key
CALENDAR_CONSENT = ENV.calendar.calendar_consent
CALENDAR_SERVICE_ACCOUNT = ENV.calendar.service_account
CALENDAR_CACHE_SECONDS = ENV.calendar.calendar_cache_seconds
CALENDAR_STALE_SECONDS = ENV.calendar.calendar_stale_seconds
CALENDAR_TIMEOUT = timedelta(seconds=4)
# A push message starts a look at once; the sweeps look anyway.
FOLLOW_CALENDAR_AT_ONCE = True
# Write an event's guests some seconds after a join, else with a sweep.
WRITE_GUESTS_AT_ONCE = True
# The longest that a page or API call waits for the provider.
CALENDAR_BUDGET = timedelta(seconds=8)
# Threads of one process that may wait for the calendar: half of those of config/gunicorn.py.
CALENDAR_WRITERS = 8

# --- Bookings ---------------------------------------------------------------------------------

CALENDAR_TRIGGER_POLICY = ENV.calendar.calendar_trigger_policy
CALENDAR_TRIGGER_SECRET = ENV.calendar.calendar_trigger_secret
# "open": everybody with the link enters a meeting without asking; "invited": the event's guests do.
MEET_ACCESS = ENV.calendar.meet_access
MEET_API_URL = ENV.calendar.meet_api_url
PREVENT_OVERLAPS = ENV.prevent_overlaps
MAX_CLASS_LENGTH = timedelta(hours=8)
MAX_STUDENTS = 100
# Unpaid holds of one person; more would block the agenda.
MAX_UNPAID_HOLDS = 3
# Bookings of one person by the API within an hour, paid or not.
MAX_BOOKINGS = 1_000
# Wrong access codes in ten minutes. The second limit binds only people who were wrong: a school
# has one address.
MAX_WRONG_CODES = 20
MAX_WRONG_CODES_OF_ADDRESS = 60
# How often a person may join waiting lists within an hour.
MAX_WAITS = 20
# How often a student may move or leave classes within an hour: each time others get a mail.
MAX_CHANGES = 20
# How long a freed place is offered to the first in line, if as much time is left.
WAITING_LIST_WINDOW = timedelta(hours=ENV.waiting_list_hours)
# No place is offered when the class begins sooner.
WAITING_LIST_CLOSES = timedelta(minutes=ENV.waiting_list_closes_minutes)

# --- Payments ---------------------------------------------------------------------------------

# Without a token there is no provider: the teacher marks classes as paid.
MERCADOPAGO_ACCESS_TOKEN = ENV.payments.mercadopago_access_token
MERCADOPAGO_WEBHOOK_SECRET = ENV.payments.mercadopago_webhook_secret
MERCADOPAGO_WEBHOOK_SIGNATURE = ENV.payments.mercadopago_webhook_signature
MERCADOPAGO_API_URL = ENV.payments.mercadopago_api_url
MERCADOPAGO_COLLECTOR_ID = ENV.payments.mercadopago_collector_id
MERCADOPAGO_TIMEOUT = timedelta(seconds=4)
# Threads of one process that may wait for Mercado Pago: a quarter of those of config/gunicorn.py.
MERCADOPAGO_CALLERS = 4
# All calls of one operation together.
MERCADOPAGO_BUDGET = timedelta(seconds=8)
# Cash takes days to be credited: it is not offered for a class that begins sooner than the first,
# and must be paid the second before the class.
CASH_NOTICE = timedelta(days=3)
CASH_CREDIT = timedelta(days=2)
# Unpaid preferences of one person by the API.
MAX_UNPAID_PREFERENCES = 10
# Look-ups of one person's payments in a minute by `POST /api/calendar`.
MAX_LOOK_UPS = 240
# Notices without a valid signature that are looked at in one minute: of one address, and of all.
# Whatever is refused the provider repeats, and the sweep finds out by itself.
MAX_UNVERIFIED_NOTICES = 120
MAX_UNVERIFIED_NOTICES_OF_ALL = 1_200
# A payment whose class is not booked by then is refunded.
UNBOOKED_PAYMENT_AGE = timedelta(days=1)
# Notifications are processed, and waiting classes scheduled, in a thread; the sweeps do the rest.
SETTLE_AT_ONCE = True

# --- Work behind the requests -----------------------------------------------------------------

# How long one sweep may take before its process is ended.
SWEEP_TIMEOUT = timedelta(minutes=5)

# --- Webhooks ---------------------------------------------------------------------------------

# Webhooks are sent in a thread after the commit; the sweeps do the rest.
DELIVER_WEBHOOKS_AT_ONCE = True
WEBHOOK_TIMEOUT = timedelta(seconds=15)
# A receiver that fails for so long is switched off, and the teacher gets a notice.
WEBHOOK_PATIENCE = timedelta(days=5)
# How long webhooks and their answers are kept.
WEBHOOK_RETENTION = timedelta(days=30)
# Receivers on the same machine, without TLS.
WEBHOOKS_MAY_STAY_LOCAL = ENV.is_local

# --- API --------------------------------------------------------------------------------------

# Bytes; the documented bodies are under two kilobytes. The admin's own forms fit as well.
DATA_UPLOAD_MAX_MEMORY_SIZE = 65_536
# Address and headers together; a sign-in callback has about three thousand.
MAX_HEADER_BYTES = 16_384

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.api.authentication.CookieSessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["config.api.json_body.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.api.negotiation.JSONOnly",
    "EXCEPTION_HANDLER": "config.api.exceptions.exception_handler",
    "DEFAULT_METADATA_CLASS": None,  # OPTIONS would describe the code
    "DEFAULT_SCHEMA_CLASS": "config.api.openapi.operations.ApiSchema",
}

SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": ENV.site_name,
    "VERSION": VERSION,
    "SERVERS": [{"url": ENV.base_url}],
    "POSTPROCESSING_HOOKS": [
        "config.api.openapi.introduction.add_introduction",
        "bookings.api.openapi.sent_webhooks.add_webhooks",
        "config.api.openapi.common_responses.add_common_answers",
    ],
    # A request may omit fields that every response has.
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    # Docstrings are for readers of the code.
    "DISABLE_DOCSTRING_DESCRIPTIONS": True,
}

# --- Languages and time -----------------------------------------------------------------------

# The code's texts are Spanish; the catalogue holds the English ones.
LANGUAGE_CODE = "es-ar"
LANGUAGES = [("es-ar", "Español"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
LANGUAGE_COOKIE_NAME = f"{_prefix}language"
LANGUAGE_COOKIE_AGE = 31_536_000
LANGUAGE_COOKIE_SECURE = ENV.is_https
USE_I18N = True
USE_TZ = True
# The zone of every class, by name: the law may change its offset. Spec: What the service does.
TIME_ZONE = "America/Argentina/Buenos_Aires"

# --- Static files and mail --------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Locally files are served without collectstatic.
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = ENV.is_local
WHITENOISE_ALLOW_ALL_ORIGINS = False
# Pages name only the hashed files.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if ENV.is_local
            else "whitenoise.storage.CompressedManifestStaticFilesStorage"
        ),
    },
}
EMAIL_BACKEND = ENV.email["EMAIL_BACKEND"]
EMAIL_HOST = ENV.email["EMAIL_HOST"] or "localhost"
EMAIL_PORT = ENV.email["EMAIL_PORT"] or 25
EMAIL_HOST_USER = ENV.email["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD = ENV.email["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS = ENV.email.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = ENV.email.get("EMAIL_USE_SSL", False)
EMAIL_FILE_PATH = ENV.email["EMAIL_FILE_PATH"]
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENV.default_from_email
# Mails are sent in a thread after the commit; the sweeps send the rest.
DELIVER_NOTICES_AT_ONCE = True

# --- Security ---------------------------------------------------------------------------------

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENV.is_https else None
SECURE_SSL_REDIRECT = ENV.is_https
# Probes do not come through the proxy that ends TLS.
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_HSTS_SECONDS = 63_072_000 if ENV.is_https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = ENV.is_https and ENV.hsts_preload
if not ENV.hsts_preload:
    # Both bind every other name of the domain, for months: the domain's owner decides.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {"DIRECTIVES": page_policy(ENV)}
# For responses that are no pages.
CLOSED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
# On every response but static files.
SECURITY_HEADERS = {
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": SECURE_REFERRER_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": X_FRAME_OPTIONS,
}

# --- Log and figures ---------------------------------------------------------------------------

LOG_FORMAT = ENV.monitoring.log_format
METRICS_TOKEN = ENV.monitoring.metrics_token
METRICS_DIRECTORY = ENV.monitoring.metrics_directory
if METRICS_DIRECTORY:
    share_counts(METRICS_DIRECTORY)
HAS_ERROR_REPORTS = bool(ENV.monitoring.sentry_dsn)
if HAS_ERROR_REPORTS:
    from config.monitoring.sentry import start_sentry  # a tenth of a second that only its users pay

    start_sentry(ENV.monitoring)
# One line for each request (config/monitoring/request_log.py).
ACCESS_LOG = True

LOGGING = log_settings(LOG_FORMAT)
