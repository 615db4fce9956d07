"""The mails that left during a drill, from the folder of Django's file backend."""

from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_string
from pathlib import Path

# Django's folder of mails parts them by such a line.
END_OF_MAIL = "\n" + "-" * 79 + "\n"


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that left."""

    message_id: str
    to: str
    subject: str


def read_mails(folder: Path) -> Iterator[Mail]:
    """Read the mails of Django's file backend, in the order in which they left."""
    for file in sorted(folder.glob("*.log")):
        for text in file.read_text().split(END_OF_MAIL):
            mail = message_from_string(text.lstrip("\n"))
            if mail["Message-ID"]:
                yield Mail(mail["Message-ID"], mail["To"], str(mail["Subject"]))
