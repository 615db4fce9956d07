"""Audit the mails."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from bookings.models import NoticeKind
from bookings.notices.audit import Account, Audit, Entry, audit_notices

LINES_SHOWN = 20
# An exit code other than 1, which is that of a command that failed.
FOUND_SOMETHING = 3


class Command(BaseCommand):
    help = (
        "Compares the mails that each class requires with those that exist. "
        "Exits with 3 when a mail is missing, or overdue for more than five minutes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--audit", action="store_true", required=True, help="Account for all.")
        parser.add_argument("--json", action="store_true", help="Print JSON.")
        parser.add_argument(
            "--days", type=int, default=7, help="Of classes that began in the last days (7)."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["days"] <= 36_500:
            raise CommandError("--days takes a number from 0 to 36500.")
        audit = audit_notices(since=timezone.now() - timedelta(days=options["days"]))
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(audit), indent=2, cls=DjangoJSONEncoder))
        else:
            self.stdout.write("\n".join(_describe(audit)))
        if audit.open_questions:
            raise CommandError(
                f"{len(audit.open_questions)} mails are missing or late.",
                returncode=FOUND_SOMETHING,
            )


def _describe(audit: Audit) -> Iterator[str]:
    yield "".join(["mail".ljust(18), *(account.rjust(9) for account in Account)])
    for kind in NoticeKind:
        counts = [audit.counts[kind, account] for account in Account]
        if any(counts):
            yield "".join([kind.ljust(18), *(str(count).rjust(9) for count in counts)])
    yield f"{audit.total} mails due to people, {audit.accounted_for} accounted for."
    yield from _list("Missing or late:", audit.open_questions)
    yield from _list("Not sent, and why:", audit.failures)


def _list(title: str, entries: list[Entry]) -> Iterator[str]:
    if not entries:
        return
    yield title
    for entry in entries[:LINES_SHOWN]:
        about = f"class {entry.class_id}" if entry.class_id else "no class"
        line = f"  {entry.account} {entry.kind}, {about}, person {entry.user_id}"
        yield f"{line}, due {timezone.localtime(entry.due_at):%Y-%m-%d %H:%M}: {entry.reason}"
    if len(entries) > LINES_SHOWN:
        yield f"  and {len(entries) - LINES_SHOWN} more; --json names them all"


def _as_json(audit: Audit) -> dict[str, Any]:
    counts: dict[str, dict[str, int]] = {}
    for (kind, account), count in sorted(audit.counts.items()):
        counts.setdefault(kind, {})[account] = count
    return {
        "at": audit.at,
        "since": audit.since,
        "total": audit.total,
        "accounted_for": audit.accounted_for,
        "counts": counts,
        "open": [asdict(entry) for entry in audit.open_questions],
        "failed": [asdict(entry) for entry in audit.failures],
    }
