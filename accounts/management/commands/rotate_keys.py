"""``manage.py rotate_keys``: after a new key was put first into FIELD_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.management.key_rotation import Outcome, forget_unreadable, rotate_encrypted_fields


class Command(BaseCommand):
    """Moves what is encrypted under the first key. The service may run; repeating is harmless."""

    help = "Re-encrypts stored secrets with the first of FIELD_KEYS; safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the permission to lose what cannot be read."""
        parser.add_argument(
            "--forget-unreadable",
            action="store_true",
            help="Lose what none of FIELD_KEYS opens, because the key is gone for good.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rotate, and say how many values; fails while one is under a key that is not listed."""
        if options["forget_unreadable"]:
            self.stdout.write(f"Forgotten: {forget_unreadable()}.")
        counted = rotate_encrypted_fields()
        self.stdout.write(
            f"Re-encrypted: {counted[Outcome.ROTATED]}. "
            f"Under the first key already: {counted[Outcome.CURRENT]}."
        )
        if counted[Outcome.REPLACED]:
            raise CommandError(f"{counted[Outcome.REPLACED]} changed meanwhile. Run it again.")
        if counted[Outcome.UNREADABLE]:
            raise CommandError(
                f"{counted[Outcome.UNREADABLE]} cannot be read with any of FIELD_KEYS. "
                "Put the key that wrote them behind the first; if it is lost for good, "
                "--forget-unreadable."
            )
