"""A container's health check.

``python -m config.monitoring.probe [URL]`` exits with 0 if ``/readyz`` answers 200, else with 1.
"""

import sys
from urllib.request import Request, urlopen

from config.env.environment import base_url, host_of, load_env

HERE = "http://127.0.0.1:8000"
PATIENCE_SECONDS = 4


def main(url: str = HERE) -> int:
    """The service accepts only the site's own host name."""
    host = host_of(base_url(load_env()))
    request = Request(f"{url}/readyz", headers={"Host": host})  # noqa: S310
    try:
        urlopen(request, timeout=PATIENCE_SECONDS).close()  # ours # noqa: S310 # nosec B310
    except OSError:  # no answer, or another status
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
