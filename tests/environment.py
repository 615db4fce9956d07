"""A pytest plugin: the environment of the service, and the stand-ins that it names.

pytest-django reads the settings before any ``conftest.py``, and allauth and Django the providers'
addresses once. So the stand-ins run for the whole session, and the fixtures ``google`` and
``github`` reset them before each test.
"""

import os

from tests.standins import GitHubStandin, GoogleStandin, MercadoPagoStandin

GOOGLE = GoogleStandin()
GITHUB = GitHubStandin()
MERCADOPAGO = MercadoPagoStandin()

TEACHER_EMAIL = "teacher@example.com"

for standin in (GOOGLE, GITHUB, MERCADOPAGO):
    standin.start()

os.environ.update(
    ENV_FILE="",
    DEBUG="true",
    BASE_URL="http://testserver",
    ADMIN_EMAIL=TEACHER_EMAIL,
    AUTH_PROVIDER_ID="google-client",
    AUTH_PROVIDER_SECRET="google-secret",
    GITHUB_ID="github-client",
    GITHUB_SECRET="github-secret",
    GOOGLE_URL=GOOGLE.url,
    GITHUB_URL=GITHUB.url,
    GITHUB_API_URL=GITHUB.url,
    CALENDAR_API_URL=GOOGLE.calendar_url,
    MEET_API_URL=GOOGLE.url,
    CALENDAR_ID="primary",
    # Without a token payments are by hand; the fixture ``mercadopago`` gives one.
    MERCADOPAGO_API_URL=MERCADOPAGO.url,
    EMAIL_URL="memorymail://",
    CACHE_URL="locmemcache://",
    DATABASE_URL=os.environ.get("DATABASE_URL", "sqlite:///:memory:"),
)
NOT_SET = (
    "PROVIDER_REDIRECT_URI",
    "CALENDAR_API_KEY",
    "SERVICE_ACCOUNT_JSON",
    "DEMO",
    "TRUSTED_PROXIES",
)
for name in NOT_SET:
    os.environ.pop(name, None)


def pytest_xdist_auto_num_workers() -> int:
    """Run two processes for each processor: tests wait for locks, time-outs and processes."""
    return 2 * (os.cpu_count() or 1)


def pytest_unconfigure() -> None:
    """Stop the stand-ins with the session."""
    for standin in (GOOGLE, GITHUB, MERCADOPAGO):
        standin.stop()
