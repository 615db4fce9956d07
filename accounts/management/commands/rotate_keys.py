"""``manage.py rotate_keys``: after a new key was put first into FIELD_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.key_rotation import Outcome, rotate_encrypted_fields


class Command(BaseCommand):
    """Moves what is encrypted under the first key. The service may run; repeating is harmless."""

    help = "Re-encrypts stored secrets with the first of FIELD_KEYS; safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        """Rotate, and say how many values; fails while one is under a key that is not listed."""
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
                "Keep the key that wrote them, or connect the calendar again."
            )
