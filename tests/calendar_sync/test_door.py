"""What the app costs those who do not use it."""

import subprocess
import sys

PROGRAM = """
import os, sys
os.environ.update(DEBUG="true", ENV_FILE="", DJANGO_SETTINGS_MODULE="config.settings")
import django
django.setup()
import calendar_sync
print([name for name in ("googleapiclient", "google.auth", "httplib2") if name in sys.modules])
"""


def test_starting_django_loads_no_google_package():
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )

    assert run.stdout == "[]\n"
