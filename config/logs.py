"""How a line of the log reads: without what would let its reader in somewhere."""

import logging
import re

MASK = "***"

# A slash, and how it looks in an address that stands in another one's query.
SLASH = r"(?:/|%(?:25)*2F)"
VALUE = r"[^\s&#\"']+"
SECRETS = re.compile(
    # An access code: in an invitation, and in the address of a sign-in that leads back to it.
    rf"(inicio{SLASH}unirse{SLASH}){VALUE}"
    # What an identity provider sends back: whoever is faster with it, signs in.
    rf"|([?&](?:code|state)=){VALUE}",
    re.IGNORECASE,
)


class MaskingFormatter(logging.Formatter):
    """Formats as usual, then hides access codes and the parameters of a sign-in.

    A filter would see the message only; the text of an exception may repeat the same address.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Give the line, its traceback included."""
        return mask(super().format(record))


def mask(text: str) -> str:
    """Hide every secret value that an address in ``text`` carries."""
    return SECRETS.sub(lambda found: f"{found[1] or found[2]}{MASK}", text)
