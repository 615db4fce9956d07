"""``python -m tests.peers [name ...]``: run the peers that are named, else all of them."""

import sys
from collections.abc import Callable

from tests.peers import emulate

PEERS: dict[str, Callable[[], int]] = {"emulate": emulate.run}


def main(names: list[str]) -> int:
    """Run peers one after the other. Return the worst exit code; 2 for an unknown name."""
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        print(f"No such peer: {', '.join(unknown)}. There are: {', '.join(PEERS)}.")
        return 2
    return max(PEERS[name]() for name in names or PEERS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
