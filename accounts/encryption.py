"""Text that only this service can read: sealed with the keys of the environment."""

from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


def seal(text: str) -> str:
    """Encrypt a text and sign it; the first of ``settings.FIELD_KEYS`` does it."""
    return _cipher(tuple(settings.FIELD_KEYS)).encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Give the text back, by whichever key it was sealed.

    Raises ``cryptography.fernet.InvalidToken`` when none of them opens it: a silent wrong answer
    would be worse.
    """
    return _cipher(tuple(settings.FIELD_KEYS)).decrypt(sealed.encode()).decode()


def find_sealed(sealed: str) -> str | None:
    """Give the text back, or None for one that somebody else wrote or changed."""
    try:
        return unseal(sealed)
    except InvalidToken:
        return None


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
