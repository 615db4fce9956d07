"""What a page says."""

import re

HOUR = re.compile(r"<span data-your-time><time [^>]*>(\d\d:\d\d)</time></span>")


def text_of(response) -> str:
    """Give a page without its line breaks, and its hours without their elements."""
    return HOUR.sub(r"\1", " ".join(response.content.decode().split()))


def plain_text_of(response) -> str:
    """Give a page without its elements."""
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())
