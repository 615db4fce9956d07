"""The shipped settings with a low limit of sign-ins, which a test reaches with few requests."""

from config.settings import *  # noqa: F403  # Django reads the names of a settings module

MAX_SIGN_IN_STARTS = 6
