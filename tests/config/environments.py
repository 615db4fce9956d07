"""Settings as an environment makes them: of a developer's machine, and of production."""

import os
import runpy
import traceback
from types import SimpleNamespace
from unittest import mock

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from tests.processes import ROOT

KEY = Fernet.generate_key().decode()
PRODUCTION = {
    "SECRET_KEY": "a-real-key",
    "FIELD_KEYS": KEY,
    "BASE_URL": "https://clases.example",
}


def read_settings(values):
    """Run config/settings.py under these variables only."""
    with mock.patch.dict(os.environ, {"ENV_FILE": "", **values}, clear=True):
        return SimpleNamespace(**runpy.run_path(str(ROOT / "config" / "settings.py")))


def development(**values):
    return read_settings({"DEBUG": "true", **values})


def production(**values):
    return read_settings({**PRODUCTION, **values})


def refusal(**values):
    """Give everything that a refusal prints, causes included."""
    with pytest.raises(ImproperlyConfigured) as caught:
        development(**values)
    return "".join(traceback.format_exception(caught.value))
