"""The shipped nginx configuration in front of a server, on loopback and without TLS."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.processes import ROOT, stop

SHIPPED = ROOT / "config" / "deploy" / "nginx"
START_SECONDS = 20
FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
FRAME = """
daemon off;
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 2048; }}
http {{
    {temporary}
    include {shipped}/http.conf;
    access_log {folder}/access.log classes;
    upstream classes {{
        server {service};
        keepalive 16;
    }}
    server {{
        listen 127.0.0.1:{port};
        root {shipped};
        include {shipped}/server.conf;
    }}
}}
"""


def find_nginx() -> str | None:
    """Give the program's path; None where it is not installed."""
    return shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


@contextmanager
def proxy(folder: Path, service_url: str, *, frame: str = FRAME) -> Iterator[str]:
    """Run nginx in front of a service while the block runs; give its address.

    folder: for its logs and its own files. frame: what is around the shipped configuration.
    """
    program = find_nginx()
    if program is None:
        raise FileNotFoundError("nginx")
    port = _free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(_fill_in(frame, folder, service_url, port))
    process = subprocess.Popen(
        [program, "-c", configuration, "-e", folder / "start.log"], start_new_session=True
    )
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)


def _fill_in(frame: str, folder: Path, service_url: str, port: int) -> str:
    temporary = "\n    ".join(f"{name}_temp_path {folder}/{name};" for name in FOLDERS)
    service = urlsplit(service_url).netloc
    return frame.format(
        folder=folder, temporary=temporary, shipped=SHIPPED, service=service, port=port
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
