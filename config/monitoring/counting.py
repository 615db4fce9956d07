"""Metrics of all processes: https://prometheus.github.io/client_python/multiprocess/

There are no live gauges, so gunicorn's ``child_exit`` has nothing to clean up.
"""

import os
from socket import gethostname
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from prometheus_client import values


def share_counts(directory: str) -> None:
    """Keep every metric in ``directory``; call it before the first metric is defined.

    Raises ImproperlyConfigured if the directory cannot be written to.
    """
    if not os.access(directory, os.W_OK | os.X_OK):
        raise ImproperlyConfigured("PROMETHEUS_MULTIPROC_DIR cannot be written to.")
    # The library reads it here; it may come from ENV_FILE.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory  # noqa: TID251
    shared: Any = values.MultiProcessValue  # carries no types
    host = gethostname()  # containers that share the directory may have the same process ids
    values.ValueClass = shared(lambda: f"{host}-{os.getpid()}")
