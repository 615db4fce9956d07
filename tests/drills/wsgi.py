"""The service for gunicorn, with a protection left out: ``DRILL_LEAVES_OUT`` names the function."""

import os

from config.wsgi import application
from tests.drills import protections

protections.let_few_stand_for_many()
if os.environ.get("DRILL_LEAVES_OUT"):
    getattr(protections, os.environ["DRILL_LEAVES_OUT"])()

__all__ = ["application"]
