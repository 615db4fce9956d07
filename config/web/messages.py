"""The cookie that carries "Guardamos tus datos." to the next page, named like the others."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class NamedCookieStorage(CookieStorage):
    """Django's own; it offers no setting for the name."""

    cookie_name = settings.MESSAGE_COOKIE_NAME


class MessageStorage(FallbackStorage):
    """A cookie, and the session for what is too long for one."""

    storage_classes = (NamedCookieStorage, SessionStorage)
