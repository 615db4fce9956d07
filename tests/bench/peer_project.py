"""django-appointment as its own documentation has it installed, in an environment of its own.

https://django-appt-doc.adamspierredavid.com/getting-started/
"""

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any
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
# One teacher, one service, five working days, and students who are signed in.
STUDENTS = 30
SCENE = f"""
from datetime import time, timedelta
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
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
for number in range({STUDENTS}):
    name = f"student{{number}}"
    student = User.objects.create_user(name, f"{{name}}@example.com", first_name=name)
    session = SessionStore(session_key=f"{{number:032d}}")
    session[SESSION_KEY] = str(student.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = student.get_session_auth_hash()
    session.save(must_create=True)
"""
# What the first step leaves for the second one, each under a number of its own.
REQUESTS = """
from datetime import date, time, timedelta
from appointment.models import AppointmentRequest
AppointmentRequest.objects.bulk_create(
    AppointmentRequest(
        pk={last_id} - number, id_request=f"bench{{number}}", service_id=1, staff_member_id=1,
        date=date.fromisoformat("{monday}") + timedelta(weeks=number // 8),
        start_time=time(9 + number % 8), end_time=time(10 + number % 8),
    )
    for number in range({first}, {last})
)
"""
# Downwards, for SQLite counts on from the largest it has seen.
LAST_ID = 1_000_000


def install(directory: Path) -> Path:
    """Make the environment and install the package; its Python. CalledProcessError without it."""
    venv.create(directory, with_pip=True)
    python = directory / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


@dataclass
class Peer:
    """The project, in a directory of its own, and the server it is served by."""

    python: Path
    directory: Path
    variables: dict[str, str]
    server: Server = field(init=False)
    booked: int = 0

    def do(self, *command: str) -> None:
        """Run its Python. Raises CalledProcessError."""
        subprocess.run(
            [self.python, *command],
            cwd=self.directory,
            env=self.variables,
            check=True,
            stdout=sys.stderr,
        )

    def run_script(self, script: str) -> None:
        """Run code beside its models."""
        self.do("manage.py", "shell", "--verbosity", "0", "--command", script)

    def book_second_step(self, number: int) -> list[Request]:
        """Give requests that end as many bookings, of which the first step is done."""
        first, self.booked = self.booked, self.booked + number
        size = {"first": first, "last": self.booked, "last_id": LAST_ID}
        self.run_script(REQUESTS.format(monday=next_working_day(), **size))
        return [confirm(one) for one in range(first, self.booked)]


@contextmanager
def running_peer(python: Path, directory: Path, database: str) -> Iterator[Peer]:
    """Generate the project, fill it, and serve it with as many workers and threads as ours."""
    variables = {**os.environ, "DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "peer.settings"}
    peer = Peer(python, directory, variables)
    directory.mkdir()
    create = ("-m", "django", "startproject", "peer", ".")
    peer.do(*create, "--settings", "django.conf.global_settings")
    with (directory / "peer" / "settings.py").open("a") as settings:
        settings.write(SETTINGS)
    (directory / "peer" / "urls.py").write_text(URLS)
    # The package brings no migrations, and its tables refer to those of the users.
    peer.do("manage.py", "migrate", "auth", "--verbosity", "0")
    peer.do("manage.py", "migrate", "--run-syncdb", "--verbosity", "0")
    peer.run_script(SCENE)
    size = ["--workers", str(shipped.workers), "--threads", str(shipped.threads)]
    size += ["--keep-alive", str(shipped.keepalive), "--preload"]
    command = [str(python), "-m", "gunicorn", "peer.wsgi", *size]
    with gunicorn_command(command, variables, directory) as peer.server:
        fetch(peer.server.url, list_slots())
        yield peer


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
    """Send the first of its two steps to book: which time."""
    form = {
        "date": next_working_day() + timedelta(weeks=number // 8),
        "start_time": f"{9 + number % 8:02d}:00",
        "end_time": f"{10 + number % 8:02d}:00",
        "service": 1,
        "staff_member": 1,
    }
    return _submit("/appointment/request-submit/", form, number)


def confirm(number: int) -> Request:
    """Send the second of its two steps: whose booking it is. It makes the appointment."""
    form = {
        "name": f"student{number % STUDENTS}",
        "email": f"student{number % STUDENTS}@example.com",
        "phone_0": "AR",
        "phone_1": "91123456789",
        "address": "Rosario",
        "additional_info": "",
        "payment_type": "full",
    }
    return _submit(f"/appointment/client-info/{LAST_ID - number}/bench{number}/", form, number)


def _submit(path: str, form: dict[str, Any], number: int) -> Request:
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": f"csrftoken={CSRF}; sessionid={number % STUDENTS:032d}",
        "Origin": f"https://{HOST}",
    }
    return Request("POST", path, urlencode({**form, "csrfmiddlewaretoken": CSRF}), headers)
