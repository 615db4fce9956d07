"""The shipped settings in production, but for the providers: theirs are plain http on loopback."""

import os

from config.settings import *  # noqa: F403

GOOGLE_TOKEN_URL = os.environ["BENCH_GOOGLE_URL"] + "/oauth2/token"
CALENDAR_API_URL = os.environ["BENCH_GOOGLE_URL"] + "/calendar/v3/"
# What collectstatic left, outside the working tree.
STATIC_ROOT = os.environ["BENCH_STATIC_ROOT"]
