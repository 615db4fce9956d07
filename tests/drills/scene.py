"""Who and what a drill begins with, and what people do: over HTTP, as browsers and providers do."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import requests
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts.models import User
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.models import ClassType, Price, VirtualClass, WeeklyHours
from bookings.work.sweeps import sweep
from tests.booking import book_class
from tests.demo.teacher import seed_offer
from tests.drills.processes import Outcome, Prepare, Say, ServiceProcess, require, run, serve
from tests.drills.world import ACCESS_TOKEN, TEACHER_EMAIL, WEBHOOK_SECRET, World
from tests.emptying import empty_database

HOUR = timedelta(hours=1)
ANSWER_SECONDS = 60
# Not gone by then, a process that had to die has missed its point.
DEATH_SECONDS = 30


def lift_limits() -> None:
    """Let one person book for many: such limits are no promise under drill, and in its way."""
    settings.MAX_BOOKINGS = settings.MAX_UNPAID_PREFERENCES = 1_000_000
    settings.MAX_UNPAID_HOLDS = 1_000_000


class Scene:
    """An emptied world with a teacher, her offer, and a clock that drills may move."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ahead = timedelta()
        self.teacher = self._begin()

    def _begin(self) -> User:
        world = self.world
        empty_database()
        for mail in world.mails.iterdir():
            mail.unlink()
        world.google.reset()
        world.mercadopago.reset()
        world.mercadopago.set(
            access_token=ACCESS_TOKEN,
            webhook_secret=WEBHOOK_SECRET,
            notification_url=f"{world.url}/api/webhooks/mercadopago?source_news=webhooks",
        )
        world.google.add_person(email=TEACHER_EMAIL, name="Paula Profe")
        seed_offer()
        WeeklyHours.objects.all().delete()  # classes of drills begin at any hour
        return User.objects.create(
            email=TEACHER_EMAIL,
            name="Paula Profe",
            is_staff=True,
            is_superuser=True,
            provider_refresh_token=world.google.grant(TEACHER_EMAIL),
            provider_token_saved_at=timezone.now(),
        )

    def sign_up(self, name: str) -> "Person":
        """Let somebody have an account, and a session."""
        user = User.objects.create(email=f"{name}@example.com", name=name.title())
        client = Client()
        client.force_login(user)
        return Person(user, client.cookies[settings.SESSION_COOKIE_NAME].value, self.world.url)

    def open_class(self, places: int) -> VirtualClass:
        """Have a group class that costs nothing booked and scheduled; give it."""
        host = self.sign_up("host").user
        self.list_free_group(places)

        def open_it(say: Say) -> None:
            start = self.now.replace(microsecond=0) + timedelta(days=2)
            virtual_class = book_class(
                user=host,
                start=start,
                end=start + HOUR,
                is_group_class=True,
                students_count=places,
                price=0,
                preference_id=f"drill-{host.pk}",
            )
            confirm_payment(class_id=virtual_class.pk, actor=self.teacher)

        require(self.run(open_it))
        return VirtualClass.objects.get(booked_by=host)

    def list_free_group(self, places: int) -> None:
        """Put groups of an hour for nothing on the price list."""
        Price.objects.update_or_create(
            class_type=ClassType.GROUP,
            minutes=60,
            students_up_to=places,
            defaults={"amount": 0, "valid_from": timezone.localdate()},
        )

    @property
    def now(self) -> datetime:
        """The time of everything that starts now."""
        return timezone.now() + self.ahead

    def travel_to(self, moment: datetime) -> None:
        """Move the clock ahead to a moment; never back."""
        seconds = (moment - self.now).total_seconds()
        if seconds > 0:
            self.pass_time(seconds=seconds)

    def pass_time(self, **units: float) -> None:
        """Move the clock of everything that starts from now on, and Mercado Pago's."""
        self.ahead += timedelta(**units)
        self.world.mercadopago.advance(**units)

    def start_web(self, *prepare: Prepare) -> "Web":
        """Start a web process. prepare: what is changed in it first."""
        return Web(ServiceProcess(serve(self.world.listener), *prepare, ahead=self.ahead))

    def run(self, work: Callable[[Say], None], *prepare: Prepare) -> Outcome:
        """Run a process of the service that does one thing."""
        return run(work, *prepare, ahead=self.ahead)

    def sweep(self, *prepare: Prepare) -> dict[str, int | None]:
        """Run the sweeps once, in a process of their own. Raises RuntimeError when it dies."""
        [done] = require(self.run(lambda say: say(sweep()), *prepare))
        return dict(done)


class Web:
    """A web process that may be killed."""

    def __init__(self, process: ServiceProcess) -> None:
        self._process = process

    def await_death(self) -> bool:
        """Wait until it was killed; whether it was, in time. If not, it is stopped."""
        end = time.monotonic() + DEATH_SECONDS
        while time.monotonic() < end:
            if os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return self._process.wait().was_killed
            time.sleep(0.005)
        self._process.stop()
        return False

    def stop(self) -> None:
        """Let it end what it does, mails too. Raises RuntimeError when it did not live so long."""
        require(self._process.stop())


@dataclass(slots=True)
class Person:
    """A student with a browser."""

    user: User
    session: str
    base: str

    def await_server(self) -> None:
        """Wait until the server answers, which takes long on a busy machine."""
        end = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                self.post("/api/access-code", "")
            except requests.RequestException:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
            else:
                return

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Send JSON; give status and body. Raises RequestException when no answer comes."""
        answer = requests.post(
            self.base + path,
            json=body,
            cookies={settings.SESSION_COOKIE_NAME: self.session},
            timeout=ANSWER_SECONDS,
        )
        return answer.status_code, answer.json()
