"""A pytest plugin: the environment of the service, and the parts of ``make test``.

allauth and Django read the providers' addresses once, so the stand-ins run for the whole session
and the fixtures ``google`` and ``github`` reset them before each test.
"""

import gc
import os
import re
import zlib
from functools import cache
from pathlib import Path

import pytest

from tests.standins import GitHubStandin, GoogleStandin, MercadoPagoStandin

GOOGLE = GoogleStandin()
GITHUB = GitHubStandin()
MERCADOPAGO = MercadoPagoStandin()

TEACHER_EMAIL = "teacher@example.com"
TESTS = Path(__file__).parent
# Where the parts of ``make test`` find their tests. Those of "rest" are everywhere else, and among
# the journeys those without the mark ``browser``.
FOLDERS = {
    "browser": (TESTS / "journeys",),
    "bookings": (TESTS / "bookings", TESTS / "sales"),
    "races": (TESTS / "concurrency", TESTS / "management", TESTS / "worker"),
    "pages": (TESTS / "i18n", TESTS / "pages"),
}
# What each page and mail says, in both languages: SQLite is enough.
SQLITE_ONLY = (
    TESTS / "i18n",
    # Races and the tests beside them run the same functions on PostgreSQL.
    TESTS / "bookings/notices/test_skip_rules.py",
    TESTS / "bookings/reconciling/test_errors.py",
    TESTS / "bookings/test_personal_data.py",
)
# These tests share their cases: of a parametrised test PostgreSQL sees one, SQLite the others, and
# a single test runs on PostgreSQL. Races and the browser's journeys run the same functions on
# SQLite; ``--whole`` runs everything on both. PostgreSQL sees those values too that it refuses and
# SQLite takes. Of the kill points the drills see each on both engines.
SHARED = (
    *(TESTS / name for name in ("accounts", "admin", "api", "bookings", "pages", "sales")),
    *(TESTS / f"concurrency/test_{name}crashes.py" for name in ("", "mail_", "payment_")),
)
SAMPLED = (*SHARED, TESTS / "config")
# Several tests ask for each page: every second of the single ones runs on SQLite.
HALVED = tuple(TESTS / name for name in ("accounts", "admin", "pages"))
REFUSED_BY_POSTGRESQL = re.compile(r"\\x00|u0000|%00|\\ud[89a-f]|\b\d{10}")

gc.disable()  # until all tests are loaded

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
    """Add the options that choose a part of the tests."""
    parser.addoption(
        "--engine",
        choices=["sqlite", "postgresql"],
        help="run only this engine's share of the tests that use the database",
    )
    parser.addoption(
        "--part",
        action="append",
        choices=[*FOLDERS, "rest"],
        help="run only the tests of the browser, bookings, races, pages or the others (repeatable)",
    )
    parser.addoption(
        "--whole",
        action="store_true",
        help="run every test that uses the database on both engines",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no files of another part: that takes as long as hundreds of tests."""
    parts = config.getoption("--part")
    if not parts:
        return None
    if "rest" in parts:
        others = {*FOLDERS} - {"browser", *parts}  # some tests beside the journeys need no browser
        return True if _part_of(collection_path) in others else None
    is_its_own = any(
        folder == collection_path
        or folder in collection_path.parents
        or collection_path in folder.parents
        for part in parts
        for folder in FOLDERS[part]
    )
    return None if is_its_own else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the part, with --engine those that this engine is to see.

    Browser journeys run against a demo, which is always on SQLite.
    """
    parts = config.getoption("--part")
    driving = {item for item in items if item.get_closest_marker("browser")}
    lost = [item.nodeid for item in driving if not _is_below(item.path, FOLDERS["browser"])]
    if lost:
        raise pytest.UsageError(f"The browser's part looks elsewhere: {lost}")
    # A file that is named on the command line is read in every part.
    chosen = [item for item in items if not parts or _find_part(item) in parts]
    if (engine := config.getoption("--engine")) and not config.getoption("--whole"):
        chosen = _share_of(engine, [item for item in chosen if item not in driving])
    config.hook.pytest_deselected(items=list({*items} - {*chosen}))
    items[:] = chosen


def pytest_collection_finish() -> None:
    """Collect garbage again, but less often: with all tests loaded that takes a fifth of the time.

    Before, all is loaded and nothing thrown away.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def _find_part(item: pytest.Item) -> str:
    if item.get_closest_marker("browser"):
        return "browser"
    part = _part_of(item.path)
    return "rest" if part == "browser" else part


def _part_of(path: Path) -> str:
    return next((part for part, folders in FOLDERS.items() if _is_below(path, folders)), "rest")


def _share_of(engine: str, items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of SQLite, among them those without a database, or those of PostgreSQL.

    The two run in different random orders, so a sample must not depend on the order.
    """
    samples = {
        _test_of(item): item for item in sorted(items, key=_by_chance) if _may_be_sampled(item)
    }
    seen_by_postgresql = {
        item
        for item in items
        if _depends_on_engine(item)
        and (not _may_be_sampled(item) or samples[_test_of(item)] is item)
        and not _is_left_to_sqlite(item)
    }
    if engine == "postgresql":
        return [item for item in items if item in seen_by_postgresql]
    return [item for item in items if item not in seen_by_postgresql or not _is_shared(item)]


def _by_chance(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.encode())


def _depends_on_engine(item: pytest.Item) -> bool:
    """Return True if a test uses the database and does not prove the same on each engine."""
    if _is_below(item.path, SQLITE_ONLY) or item.get_closest_marker("any_engine"):
        return False
    return uses_database(item)


def _may_be_sampled(item: pytest.Item) -> bool:
    # SQLite may skip its cases of a test with the mark ``skipif``.
    marks = ("each_engine", "skipif")
    if not hasattr(item, "callspec") or any(map(item.get_closest_marker, marks)):
        return False
    is_refused = REFUSED_BY_POSTGRESQL.search(repr(item.callspec.params))
    return not is_refused and _is_below(item.path, SAMPLED)


@cache
def _is_below(file: Path, paths: tuple[Path, ...]) -> bool:
    return any(path in (file, *file.parents) for path in paths)


def _is_left_to_sqlite(item: pytest.Item) -> bool:
    return _is_single(item) and _is_below(item.path, HALVED) and _by_chance(item) % 2 == 1


def _is_shared(item: pytest.Item) -> bool:
    return _is_below(item.path, SHARED) and (_is_single(item) or _may_be_sampled(item))


def _is_single(item: pytest.Item) -> bool:
    return not hasattr(item, "callspec") and not item.get_closest_marker("each_engine")


def _test_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def uses_database(item: pytest.Item) -> bool:
    """Return True if a test requests the database by a fixture or a mark."""
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool(fixtures & {"db", "transactional_db"} or item.get_closest_marker("django_db"))


def pytest_unconfigure() -> None:
    """Stop the stand-ins with the session."""
    for standin in (GOOGLE, GITHUB, MERCADOPAGO):
        standin.stop()
