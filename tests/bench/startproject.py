"""A project as ``startproject`` leaves it, set up: what starting costs before anything is built.

Its database is of the service's kind, whose driver takes a while to load.
"""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

engine = "postgresql" if os.environ["DATABASE_URL"].startswith("postgres") else "sqlite3"
settings.configure(
    SECRET_KEY="bench",
    DATABASES={"default": {"ENGINE": f"django.db.backends.{engine}", "NAME": "nobody's"}},
    ROOT_URLCONF="tests.bench.floor",
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
    ],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
)
application = get_wsgi_application()
