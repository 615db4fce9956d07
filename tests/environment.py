"""A pytest plugin that gives the service its environment before Django reads the settings.

allauth and Django read the providers' addresses once, so the stand-ins run for the whole session
and the fixtures ``google`` and ``github`` empty them before each test.
"""

import os
from pathlib import Path

import pytest

from tests.standins import GitHubStandin, GoogleStandin, MercadoPagoStandin

GOOGLE = GoogleStandin()
GITHUB = GitHubStandin()
MERCADOPAGO = MercadoPagoStandin()

TEACHER_EMAIL = "teacher@example.com"
JOURNEYS = Path(__file__).parent / "journeys"

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
    CALENDAR_ID="primary",
    # Without a token payments are by hand; the fixture ``mercadopago`` gives one.
    MERCADOPAGO_API_URL=MERCADOPAGO.url,
    CALENDAR_CACHE_SECONDS="15",
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


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the runner leave out what does not care about the database."""
    parser.addoption(
        "--database-only", action="store_true", help="run only the tests that use the database"
    )
    parser.addoption(
        "--browser-only", action="store_true", help="run only the tests that drive a browser"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no other files for the browser's tests: importing them all takes half a minute."""
    if not config.getoption("--browser-only"):
        return None
    is_on_the_way = JOURNEYS in collection_path.parents or collection_path in JOURNEYS.parents
    return None if is_on_the_way or collection_path == JOURNEYS else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep, when asked to, the tests that use the database but no browser, or those that do.

    Browser journeys run against a demo of their own, which is always on SQLite.
    """
    driving = {item for item in items if item.get_closest_marker("browser")}
    lost = [item.nodeid for item in driving if JOURNEYS not in item.path.parents]
    if lost:
        raise pytest.UsageError(f"--browser-only looks for browsers' tests in {JOURNEYS}: {lost}")
    if config.getoption("--browser-only"):
        chosen = [item for item in items if item in driving]
    elif config.getoption("--database-only"):
        chosen = [item for item in items if uses_database(item) and item not in driving]
    else:
        return
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


def uses_database(item: pytest.Item) -> bool:
    """Whether a test asks for the database, by a fixture or by its mark."""
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool(fixtures & {"db", "transactional_db"} or item.get_closest_marker("django_db"))


def pytest_unconfigure() -> None:
    """Stop the stand-ins with the session."""
    for standin in (GOOGLE, GITHUB, MERCADOPAGO):
        standin.stop()
