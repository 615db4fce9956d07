"""Django's settings; ``config.env`` reads the values that vary."""

from datetime import timedelta
from typing import Any

from django.contrib.admin import ModelAdmin
from django.db.models import Field
from django.forms import ModelChoiceField
from django.forms.models import BaseModelForm

# The usual gettext_noop needs the settings.
from django.utils.translation.trans_null import gettext_noop

from config.env import environment, services
from config.env.environment import BASE_DIR, LOCAL_HOSTS, host_of
from config.monitoring.counting import share_counts
from config.monitoring.logs import log_settings
from config.providers import (
    MERCADOPAGO_API,
    github_settings,
    google_settings,
    list_checkout_sites,
    page_policy,
)
from config.version import VERSION

# The types of ModelAdmin[VirtualClass] exist for the type checker only; here it is ModelAdmin.
_generic_for_types: tuple[Any, ...] = (ModelAdmin, BaseModelForm, ModelChoiceField, Field)
for _class in _generic_for_types:
    _class.__class_getitem__ = classmethod(lambda cls, _: cls)

ENV = environment.load_env()

# --- Core -------------------------------------------------------------------------------------

DEBUG = ENV.boolean("DEBUG", default=False)
DEMO = ENV.boolean("DEMO", default=False)
SECRET_KEY = environment.secret_key(ENV)
SECRET_KEY_FALLBACKS = ENV.words("SECRET_KEY_FALLBACKS")
BASE_URL = environment.base_url(ENV)
_is_https = BASE_URL.startswith("https://")
_has_local_names = ENV.is_local and host_of(BASE_URL) in LOCAL_HOSTS
ALLOWED_HOSTS = LOCAL_HOSTS if _has_local_names else [host_of(BASE_URL)]
TRUSTED_PROXIES = ENV.whole_number("TRUSTED_PROXIES", default=0)
# Translated; a configured name is not.
SITE_NAME = ENV.text("SITE_NAME", default=gettext_noop("Clases"))

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
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "accounts",
    "calendar_sync",
    "bookings",
    # The commands demo, seed_demo and drill; the service's image has none of them.
    *(["tests.demo"] if DEMO else []),
]

MIDDLEWARE = [
    "config.monitoring.request_log.RequestLogMiddleware",
    "config.web.middleware.HeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.middleware.SessionUserMiddleware",
    "accounts.middleware.PrivacyMiddleware",
    "accounts.middleware.LanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.web.middleware.WrongMethodMiddleware",
    "bookings.middleware.rules_middleware",
]
if _has_local_names:
    MIDDLEWARE.insert(2, "config.web.middleware.LocalNameMiddleware")
# Below WhiteNoise, which sends the files that collectstatic compressed; locally there are none.
# Against BREACH it adds random bytes, Django masks CSRF tokens, and SameSite=Lax keeps the session
# out of embedded requests.
_place = 0 if ENV.is_local else MIDDLEWARE.index("whitenoise.middleware.WhiteNoiseMiddleware") + 1
MIDDLEWARE.insert(_place, "django.middleware.gzip.GZipMiddleware")

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
            "libraries": {
                "contact": "bookings.pages.context",
                "panel": "bookings.panel.lists",
            },
        },
    },
]

# --- Database ---------------------------------------------------------------------------------

DATABASES: dict[str, dict[str, Any]] = {"default": environment.database(ENV)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES: dict[str, dict[str, Any]] = {"default": environment.cache(ENV)}

# --- People and sessions ----------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "/inicio"
LOGIN_REDIRECT_URL = "/inicio"
# The same for people of the panel.
PANEL_REDIRECT_URL = "/admin/entrar/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"

ADMIN_EMAIL = ENV.text("ADMIN_EMAIL").lower()
FIELD_KEYS = environment.field_keys(ENV)

# Sign-ins started from one address in a minute.
MAX_SIGN_IN_STARTS = 100
# Sign-in codes mailed within an hour: to one mail address, and for one network address.
MAX_CODES_TO_MAILBOX = 5
MAX_CODES_OF_ADDRESS = 60

SESSION_ENGINE = "accounts.sessions.engine"
SESSION_COOKIE_AGE = 2_592_000
# A session older than this is renewed by the next request. Spec: Limits, session update interval.
SESSION_UPDATE_AGE = timedelta(seconds=43_200)
# A staff session ends after so long without use.
PANEL_SESSION_AGE = timedelta(hours=12)
# How long a sign-in is fresh enough to connect identities, and for guarded panel actions.
FRESH_SIGN_IN_AGE = timedelta(minutes=10)
# Browsers accept this prefix from this very host only, over https.
_prefix = "__Host-" if _is_https else ""
SESSION_COOKIE_NAME = f"{_prefix}session"
SESSION_COOKIE_SECURE = _is_https
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = f"{_prefix}csrftoken"
CSRF_COOKIE_SECURE = _is_https
CSRF_COOKIE_HTTPONLY = True
MESSAGE_COOKIE_NAME = f"{_prefix}messages"
MESSAGE_STORAGE = "config.web.messages.MessageStorage"
CSRF_TRUSTED_ORIGINS = [BASE_URL]
CSRF_FAILURE_VIEW = "config.web.errors.csrf_failure"

# --- Sign-in providers ------------------------------------------------------------------------

# The stand-ins' addresses; empty for the real providers.
_google_url = ENV.address("GOOGLE_URL")
_github_url = ENV.address("GITHUB_URL")
_google = _google_url + "/oauth2" if _google_url else "https://oauth2.googleapis.com"
GOOGLE_TOKEN_URL = f"{_google}/token"
GITHUB_API_URL = ENV.address("GITHUB_API_URL", _github_url or "https://api.github.com")
AUTH_PROVIDER_ID = ENV.text("AUTH_PROVIDER_ID")
AUTH_PROVIDER_SECRET = ENV.text("AUTH_PROVIDER_SECRET")
PROVIDER_REDIRECT_URI = ENV.text("PROVIDER_REDIRECT_URI")

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
SOCIALACCOUNT_PROVIDERS = {
    "google": google_settings(AUTH_PROVIDER_ID, AUTH_PROVIDER_SECRET, _google_url),
    "github": github_settings(ENV.text("GITHUB_ID"), ENV.text("GITHUB_SECRET"), _github_url),
}

# --- Calendar ---------------------------------------------------------------------------------

CALENDAR_BACKEND = "calendar_sync.google.calendar.GoogleCalendar"
CALENDAR_API_URL = ENV.address("CALENDAR_API_URL", "https://www.googleapis.com/calendar/v3") + "/"
CALENDAR_ID = ENV.text("CALENDAR_ID", default="primary")
CALENDAR_API_KEY = ENV.text("CALENDAR_API_KEY")
CALENDAR_CONSENT = ENV.one_of("CALENDAR_CONSENT", "everyone", "teacher")
CALENDAR_SERVICE_ACCOUNT = services.service_account(ENV)
CALENDAR_CACHE_SECONDS = 15
CALENDAR_STALE_SECONDS = 60
CALENDAR_TIMEOUT = timedelta(seconds=4)
# The longest that a page or API call waits for the provider.
CALENDAR_BUDGET = timedelta(seconds=8)
# Threads of one process that may wait for the calendar: half of those of config/gunicorn.py.
CALENDAR_WRITERS = 8

# --- Bookings ---------------------------------------------------------------------------------

CALENDAR_TRIGGER_POLICY = services.trigger_policy(ENV)
CALENDAR_TRIGGER_SECRET = ENV.text("CALENDAR_TRIGGER_SECRET")
# "open": anyone with the link enters a meeting without asking; "invited": the event's guests do.
MEET_ACCESS = ENV.one_of("MEET_ACCESS", "invited", "open")
MEET_API_URL = ENV.address("MEET_API_URL", "https://meet.googleapis.com") + "/"
MAX_CLASS_LENGTH = timedelta(hours=8)
MAX_STUDENTS = 100
# Unpaid holds of one person; more would block the agenda.
MAX_UNPAID_HOLDS = 3
# Bookings of one person within an hour, by program or page, paid or not.
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
WAITING_LIST_WINDOW = timedelta(hours=12)
# No place is offered when the class begins sooner.
WAITING_LIST_CLOSES = timedelta(hours=1)

# --- Payments ---------------------------------------------------------------------------------

# Without a token there is no provider: the teacher marks classes as paid.
MERCADOPAGO_ACCESS_TOKEN = ENV.text("MERCADOPAGO_ACCESS_TOKEN")
MERCADOPAGO_WEBHOOK_SECRET = ENV.text("MERCADOPAGO_WEBHOOK_SECRET")
MERCADOPAGO_API_URL = ENV.address("MERCADOPAGO_API_URL", MERCADOPAGO_API)
MERCADOPAGO_COLLECTOR_ID = services.collector_id(ENV)
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
# Notifications without a valid signature that are checked in one minute: from one address, and in
# all. The provider repeats a refused one, and the sweep finds the payment by itself.
MAX_UNVERIFIED_NOTIFICATIONS = 120
MAX_UNVERIFIED_NOTIFICATIONS_OF_ALL = 1_200
# A payment whose class is not booked by then is refunded.
UNBOOKED_PAYMENT_AGE = timedelta(days=1)

# --- Work behind the requests -----------------------------------------------------------------

# How long one sweep may take before its process is ended.
SWEEP_TIMEOUT = timedelta(minutes=5)

# --- Webhooks ---------------------------------------------------------------------------------

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
# Below this address staff may upload a file, the teacher's photo; other people's is dropped.
UPLOAD_ADDRESSES = "/admin/pagina/"
# Here a student announces a bank transfer, with the photo of its receipt.
RECEIPT_ADDRESSES = r"/(inicio/(clases|lugares)|clase)/[^/]+/transferencia"
# Bytes, of the whole request; config/deploy/nginx/server.conf lets a few more pass, for the page.
FILE_UPLOAD_MAX_MEMORY_SIZE = 15_728_640

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.api.authentication.CookieSessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["config.api.bodies.AnyTypeJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.api.bodies.JSONOnly",
    "EXCEPTION_HANDLER": "config.api.exceptions.exception_handler",
    "DEFAULT_METADATA_CLASS": None,  # OPTIONS would describe the code
    "DEFAULT_SCHEMA_CLASS": "config.api.openapi.ApiSchema",
}

SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": SITE_NAME,
    "VERSION": VERSION,
    "SERVERS": [{"url": BASE_URL}],
    "POSTPROCESSING_HOOKS": [
        "config.api.openapi.add_common_parts",
        "bookings.api.sent_webhooks.add_webhooks",
    ],
    # A request may omit fields that every response has.
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "DISABLE_DOCSTRING_DESCRIPTIONS": True,  # docstrings are for readers of the code
}

# --- Languages and time -----------------------------------------------------------------------

LANGUAGE_CODE = "es-ar"  # of the code's texts; the catalogue holds the English ones
LANGUAGES = [("es-ar", "Español"), ("en", "English")]
# Of a first visit: the browser's, if it is one of the two, or Spanish.
FIRST_LANGUAGE = ENV.one_of("FIRST_LANGUAGE", "browser", "spanish")
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
FORMAT_MODULE_PATH = "config.formats"
LANGUAGE_COOKIE_NAME = f"{_prefix}language"
LANGUAGE_COOKIE_AGE = 31_536_000
LANGUAGE_COOKIE_SECURE = _is_https
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
    "default": {"BACKEND": "bookings.domain.desk.own_page.DatabaseStorage"},
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if ENV.is_local
            else "config.web.static_files.MinifiedStorage"
        ),
    },
}
_mail = environment.email_settings(ENV)
vars().update(_mail)  # EMAIL_HOST and so on
# A code in a mail needs a mail server.
SIGN_IN_BY_MAIL = "EMAIL_HOST" in _mail
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = environment.sender(ENV, SITE_NAME)

# --- Security ---------------------------------------------------------------------------------

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _is_https else None
SECURE_SSL_REDIRECT = _is_https
# Probes do not come through the proxy that ends TLS.
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_HSTS_SECONDS = 63_072_000 if _is_https else 0
# Subdomains and the preload list would bind every other name of the domain, for months.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": page_policy(
        _google_url,
        _github_url,
        checkouts=list_checkout_sites(MERCADOPAGO_API_URL),
        is_https=_is_https,
    )
}

# --- Logs and metrics --------------------------------------------------------------------------

LOG_FORMAT = ENV.one_of("LOG_FORMAT", "json", "text", default="text" if ENV.is_local else "json")
METRICS_TOKEN = services.metrics_token(ENV)
# Where processes keep counts; empty for memory.
METRICS_DIRECTORY = ENV.text("PROMETHEUS_MULTIPROC_DIR")
if METRICS_DIRECTORY:
    share_counts(METRICS_DIRECTORY)
_sentry_dsn, _release = ENV.text("SENTRY_DSN"), ENV.text("RELEASE")
HAS_ERROR_REPORTS = bool(_sentry_dsn)
if HAS_ERROR_REPORTS:
    from config.monitoring.sentry import start_sentry  # a tenth of a second that only its users pay

    start_sentry(_sentry_dsn, release=_release)

LOGGING = log_settings(LOG_FORMAT)
