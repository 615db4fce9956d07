#!/usr/bin/env python
"""Entry point of the command line."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    if sys.argv[1:2] in (["demo"], ["drill"]):
        # Both need no configuration and must not touch anybody's real one.
        os.environ.update(DEMO="true", BASE_URL="", ENV_FILE="")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # The message names the value; a traceback would only hide it.
        sys.exit(str(error))
