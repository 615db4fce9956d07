"""django-appointment as its own documentation has it installed, in an environment of its own.

https://django-appt-doc.adamspierredavid.com/getting-started/
"""

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlencode

from config import gunicorn as shipped
from tests.bench.clients import HOST, Request, fetch
from tests.bench.service import Server, gunicorn_command

PACKAGES = ("django-appointment==3.12.0", "gunicorn", "psycopg[binary]", "django-environ")
CSRF = "c" * 32
# What startproject leaves, the package, its languages, and the fast settings of the database.
SETTINGS = """
import environ
DEBUG = False
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS += ["appointment", "phonenumber_field"]
MIDDLEWARE.insert(2, "django.middleware.locale.LocaleMiddleware")
DATABASES = {"default": {"CONN_MAX_AGE": 600, **environ.Env().db("DATABASE_URL")}}
if "sqlite" in DATABASES["default"]["ENGINE"]:
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
"""
URLS = """
from django.urls import include, path
urlpatterns = [path("appointment/", include("appointment.urls"))]
"""
# One teacher, one service, five working days.
SCENE = """
from datetime import time, timedelta
from django.contrib.auth.models import User
from appointment.models import Config, Service, StaffMember, WorkingHours
Config.objects.create(slot_duration=60, lead_time=time(9), finish_time=time(18),
                      appointment_buffer_time=0, website_name="bench")
service = Service.objects.create(name="Clase", duration=timedelta(hours=1), price=15000)
user = User.objects.create_user("profe", first_name="Paula", last_name="Profe")
staff = StaffMember.objects.create(user=user)
staff.services_offered.add(service)
for day in range(1, 6):
    WorkingHours.objects.create(staff_member=staff, day_of_week=day, start_time=time(9),
                                end_time=time(18))
"""


def install(directory: Path) -> Path:
    """Make the environment and install the package; its Python. CalledProcessError without it."""
    venv.create(directory, with_pip=True)
    python = directory / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


@contextmanager
def running_peer(python: Path, directory: Path, database: str) -> Iterator[Server]:
    """Generate the project, fill it, and serve it with as many workers and threads as ours."""
    variables = {**os.environ, "DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "peer.settings"}

    def do(*command: str) -> None:
        subprocess.run(
            [python, *command], cwd=directory, env=variables, check=True, stdout=sys.stderr
        )

    directory.mkdir()
    do("-m", "django", "startproject", "peer", ".", "--settings", "django.conf.global_settings")
    with (directory / "peer" / "settings.py").open("a") as settings:
        settings.write(SETTINGS)
    (directory / "peer" / "urls.py").write_text(URLS)
    # The package brings no migrations, and its tables refer to those of the users.
    do("manage.py", "migrate", "auth", "--verbosity", "0")
    do("manage.py", "migrate", "--run-syncdb", "--verbosity", "0")
    do("manage.py", "shell", "--verbosity", "0", "--command", SCENE)
    size = ["--workers", str(shipped.workers), "--threads", str(shipped.threads)]
    size += ["--keep-alive", str(shipped.keepalive), "--preload"]
    command = [str(python), "-m", "gunicorn", "peer.wsgi", *size]
    with gunicorn_command(command, variables, directory) as server:
        fetch(server.url, list_slots())
        yield server


def next_working_day() -> date:
    """Give the next Monday that is not today."""
    today = date.today()  # noqa: DTZ011 - any will do
    return today + timedelta(days=7 - today.weekday())


def list_slots() -> Request:
    """Ask for the free times of a day, as its page does."""
    query = urlencode({"selected_date": next_working_day(), "staff_member": 1, "service_id": 1})
    headers = {"X-Requested-With": "XMLHttpRequest"}
    return Request("GET", f"/appointment/ajax/available_slots/?{query}", "", headers)


def book(number: int) -> Request:
    """Send the first of its two steps to book."""
    day = next_working_day() + timedelta(weeks=number // 8)
    form = {
        "date": day,
        "start_time": f"{9 + number % 8:02d}:00",
        "end_time": f"{10 + number % 8:02d}:00",
        "service": 1,
        "staff_member": 1,
        "csrfmiddlewaretoken": CSRF,
    }
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": f"csrftoken={CSRF}",
        "Origin": f"https://{HOST}",
    }
    return Request("POST", "/appointment/request-submit/", urlencode(form), headers)
