"""The message cookie, named like our others."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class NamedCookieStorage(CookieStorage):
    """Django's storage, which has no setting for the name."""

    cookie_name = settings.MESSAGE_COOKIE_NAME


class MessageStorage(FallbackStorage):
    storage_classes = (NamedCookieStorage, SessionStorage)
