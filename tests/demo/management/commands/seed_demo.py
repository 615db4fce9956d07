"""Migrate, and store demo people, an offer and classes in every state."""

import threading
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.models import Level, User
from bookings.models import (
    CHOSEN_KINDS,
    VirtualClass,
    WebhookEndpoint,
)
from tests.demo.classes import seed_classes
from tests.demo.people import (
    EVERYBODY,
    STUDENTS,
    TEACHER,
    TEACHER_PHONE,
    DemoPerson,
)
from tests.demo.teacher import seed_codes, seed_offer, seed_offers, seed_own_page


class Command(BaseCommand):
    help = "Makes the tables and fills them with demo people and classes (DEMO only)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--refresh-token", required=True, help="The teacher's grant.")
        parser.add_argument("--empty", action="store_true", help="Make the tables only.")
        parser.add_argument(
            "--receiver",
            nargs=2,
            metavar=("ADDRESS", "SECRET"),
            help="A system that is told what happens to classes.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("The demo's people have no place in a real database.")
        call_command("migrate", verbosity=0)
        if User.objects.exists():
            raise CommandError("The database is not empty.")
        if options["empty"]:
            return
        people = {person: _create_person(person) for person in EVERYBODY}
        _make_teacher(people[TEACHER], options["refresh_token"])
        seed_offer()
        seed_offers()
        seed_codes()
        seed_own_page()
        if options["receiver"]:
            _add_receiver(*options["receiver"])
        seed_classes(people)
        self.stdout.write(
            f"Seeded {len(people)} people and {VirtualClass.objects.count()} classes."
        )
        # Webhooks start threads, which Python 3.12.0 and 3.12.1 do not while a process ends
        # (CPython gh-113964).
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()


def _create_person(person: DemoPerson) -> User:
    user = User.objects.create(
        email=person.email,
        name=person.name,
        location="Buenos Aires" if person in STUDENTS else "Rosario",
        level=Level.INTERMEDIATE if person in STUDENTS else "",
    )
    SocialAccount.objects.create(user=user, provider=person.provider, uid=person.subject)
    return user


def _make_teacher(user: User, refresh_token: str) -> None:
    user.is_staff = user.is_superuser = True
    user.phone = TEACHER_PHONE
    user.provider_refresh_token = refresh_token
    user.provider_subject = TEACHER.subject
    user.provider_token_saved_at = timezone.now()
    user.save()


def _add_receiver(address: str, secret: str) -> None:
    WebhookEndpoint.objects.create(
        address=address,
        description="Sistema de prueba",
        kinds=[kind.value for kind in CHOSEN_KINDS],
        secret=secret,
        secret_shown_at=timezone.now(),
    )
