"""A running demo for tests: the whole product as ``make run`` serves it, on ports of its own."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def free_ports(count: int) -> list[int]:
    """Find ports nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@contextmanager
def running_demo(folder: Path) -> Iterator[str]:
    """Run a demo with its data in ``folder``; give its address. Raises RuntimeError."""
    port, google, github, mercadopago, receiver = map(str, free_ports(5))
    command = [sys.executable, "manage.py", "demo", "--port", port]
    command += ["--google-port", google, "--github-port", github]
    command += ["--mercadopago-port", mercadopago, "--receiver-port", receiver]
    command += ["--data", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            if not any("Ctrl-C" in line for line in process.stdout or ()):
                raise RuntimeError("the demo did not start")
            yield f"http://localhost:{port}"
        finally:
            process.terminate()
            process.wait(timeout=20)
