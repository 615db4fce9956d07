"""The service without the lock on a class: whoever counts places in it must find too many people.

gunicorn loads it as it loads the service; a test that this passes proves nothing.
"""

from config.wsgi import application
from tests.drills.protections import join_without_lock

join_without_lock()

__all__ = ["application"]
