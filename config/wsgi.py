"""The WSGI application."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# What is loaded stays. To look for garbage there takes a tenth of the start, and of the end.
gc.disable()
application = get_wsgi_application()
gc.freeze()
gc.enable()

from config.web.requests import Request  # noqa: E402  # needs the settings

application.request_class = Request
