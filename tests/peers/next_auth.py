"""The unmodified react client of NextAuth 4 in a browser without a window (jsdom), on the demo."""

import subprocess
import tempfile
from pathlib import Path

from tests.peers.packages import find_node, install
from tests.running_demo import running_demo

PACKAGES = {
    "next-auth": "4.24.14",
    "react": "18.3.1",
    "react-dom": "18.3.1",
    "jsdom": "24.1.3",
}
SCRIPT = Path(__file__).with_name("next_auth.js")
SECONDS = 120


def run_next_auth() -> None:
    """Call the client's seven functions against a running demo, and have them say what they got.

    Raises AssertionError for a difference, PeerMissingError if the packages cannot be had.
    """
    folder = install("next-auth", PACKAGES)
    with tempfile.TemporaryDirectory() as data, running_demo(Path(data)) as address:
        ran = subprocess.run(
            [find_node(), str(SCRIPT), str(folder), address],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    print(ran.stdout, end="")
    assert ran.returncode == 0, "the client and the service differ."
