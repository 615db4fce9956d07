"""One section on one engine, in a process of its own: Django takes its settings once.

``python -m tests.bench.section NAME`` with the options as JSON on standard input; the environment
is the service's. Prints the part as JSON on its last line.
"""

import json
import os
import signal
import sys
from importlib import import_module
from pathlib import Path

import django

from tests.bench.google import calendar_provider
from tests.bench.options import Options


def main(name: str) -> None:
    """Set everything up, measure, and tell."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that servers are stopped
    told = json.load(sys.stdin)
    options = Options(**{**told, "directory": Path(told["directory"])})
    with calendar_provider() as google:
        os.environ["BENCH_GOOGLE_URL"] = google.url()
        django.setup()
        module = import_module(f"tests.bench.{name}")
        part = module.run(options, google)
    print(json.dumps(part.to_json()))


if __name__ == "__main__":
    main(sys.argv[1])
