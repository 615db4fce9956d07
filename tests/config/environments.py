"""Environments to parse: of a developer's machine, and of production."""

import traceback

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from config.env.environment import parse_env

KEY = Fernet.generate_key().decode()
PRODUCTION = {
    "SECRET_KEY": "a-real-key",
    "FIELD_KEYS": KEY,
    "BASE_URL": "https://clases.example",
}


def development(**values):
    return parse_env({"DEBUG": "true", **values})


def production(**values):
    return parse_env({**PRODUCTION, **values})


def refusal(**values):
    """Give everything that a refusal prints, causes included."""
    with pytest.raises(ImproperlyConfigured) as caught:
        development(**values)
    return "".join(traceback.format_exception(caught.value))
