"""Run peers: ``python -m tests.peers`` for all of them, or their names.

A peer needs npm and the packages' registry; without them it is skipped, and says so. The exit code
is 1 if a peer found a difference, else 0.
"""

import sys
from collections.abc import Callable

from tests.peers.emulate import run_emulate
from tests.peers.example_types import run_example_types
from tests.peers.next_auth import run_next_auth
from tests.peers.packages import PeerMissingError

# A peer raises AssertionError for a difference, PeerMissingError if it cannot be had here.
PEERS: dict[str, Callable[[], None]] = {
    "emulate": run_emulate,
    "example-types": run_example_types,
    "next-auth": run_next_auth,
}


def main(names: list[str]) -> int:
    """Run the peers with these names, by default all."""
    if unknown := set(names) - set(PEERS):
        print(f"Unknown: {', '.join(sorted(unknown))}. Known: {', '.join(PEERS)}.")
        return 2
    failed = 0
    for name in names or PEERS:
        print(f"=== {name} ===", flush=True)
        try:
            PEERS[name]()
        except PeerMissingError as reason:
            print(f"skipped: {reason}")
        except AssertionError as difference:
            print(f"FAILED: {difference}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
