from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.management.key_rotation import Outcome, forget_unreadable, rotate_encrypted_fields


class Command(BaseCommand):
    help = "Re-encrypts stored secrets with the first of FIELD_KEYS; safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--forget-unreadable",
            action="store_true",
            help="Lose what none of FIELD_KEYS opens, because the key is gone for good.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
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
