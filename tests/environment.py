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
TESTS = Path(__file__).parent
# Where the parts of ``make test`` find their tests. The others are everywhere else, and among the
# journeys those without the mark ``browser``: of them "rest" uses the database, "plain" does not.
FOLDERS = {
    "browser": (TESTS / "journeys",),
    "races": (TESTS / "concurrency", TESTS / "drills_tests", TESTS / "worker"),
}
# Each page in each of its states, and each mail: the SQL behind them is that of one language.
IN_LANGUAGES = TESTS / "i18n"
ONE_LANGUAGE = "es-ar"

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
    """Let the runner leave out what does not care about the database, and choose a part."""
    parser.addoption(
        "--database-only",
        action="store_true",
        help="run only the tests that use the database and may differ with its engine",
    )
    parser.addoption(
        "--part",
        choices=[*FOLDERS, "rest", "plain"],
        help="run only the tests of the browser, races, or others, with a database or without",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no files of another part: importing them all takes as long as hundreds of tests."""
    part = config.getoption("--part")
    if part is None:
        return None
    if part not in FOLDERS:
        return True if collection_path in FOLDERS["races"] else None
    is_its_own = any(
        folder == collection_path
        or folder in collection_path.parents
        or collection_path in folder.parents
        for folder in FOLDERS[part]
    )
    return None if is_its_own else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the part, and of them, when asked to, those that mind the engine.

    Browser journeys run against a demo of their own, which is always on SQLite.
    """
    part = config.getoption("--part")
    driving = {item for item in items if item.get_closest_marker("browser")}
    lost = [item.nodeid for item in driving if not _is_in(item, "browser")]
    if lost:
        raise pytest.UsageError(f"The browser's part looks elsewhere: {lost}")
    # A file that is named on the command line is read in every part.
    chosen = [item for item in items if part in {None, _find_part(item)}]
    if config.getoption("--database-only"):
        chosen = [item for item in chosen if _minds_the_engine(item) and item not in driving]
    config.hook.pytest_deselected(items=list({*items} - {*chosen}))
    items[:] = chosen


def _find_part(item: pytest.Item) -> str:
    if item.get_closest_marker("browser"):
        return "browser"
    if _is_in(item, "races"):
        return "races"
    return "rest" if uses_database(item) else "plain"


def _is_in(item: pytest.Item, part: str) -> bool:
    return any(folder in item.path.parents for folder in FOLDERS[part])


def _minds_the_engine(item: pytest.Item) -> bool:
    """Whether a test uses the database for more than it has shown on another engine already."""
    if item.get_closest_marker("any_engine"):
        return False
    language = item.callspec.params.get("language") if hasattr(item, "callspec") else None
    if IN_LANGUAGES in item.path.parents and language not in {None, ONE_LANGUAGE}:
        return False
    return uses_database(item)


def uses_database(item: pytest.Item) -> bool:
    """Whether a test asks for the database, by a fixture or by its mark."""
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool(fixtures & {"db", "transactional_db"} or item.get_closest_marker("django_db"))


def pytest_unconfigure() -> None:
    """Stop the stand-ins with the session."""
    for standin in (GOOGLE, GITHUB, MERCADOPAGO):
        standin.stop()
