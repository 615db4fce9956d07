"""Credentials: the administrator's grant, a service account or an API key."""

import json
import logging
from functools import lru_cache
from typing import Any

from django.conf import settings
from google.oauth2 import credentials as user
from google.oauth2 import service_account
from google_auth_httplib2 import Request

from calendar_sync.google.transport import Transport, provider_errors
from calendar_sync.interface import (
    CalendarNotConnectedError,
    CalendarUnavailableError,
    name_calendar,
)
from config.lib.provider_calls import SingleFlight

logger = logging.getLogger(__name__)


class Grant:
    """Credentials that threads share, called by google_auth_httplib2.

    may_invite: False for a service account without delegation: Google refuses attendees.
    """

    def __init__(self, credentials: Any, *, may_invite: bool) -> None:
        self.may_invite = may_invite
        self._credentials = credentials
        self._flight: SingleFlight[None] = SingleFlight()

    @property
    def is_fresh(self) -> bool:
        return bool(self._credentials.valid)

    def before_request(self, request: Any, method: str, url: str, headers: dict[str, str]) -> None:
        """Set a token. The credentials' own method also looks up regions."""
        if not self.is_fresh:
            self.refresh(request)
        self._credentials.apply(headers)

    def refresh(self, request: Any) -> None:
        worn = self._credentials.token

        def work() -> None:
            if self._credentials.token == worn:
                self._credentials.refresh(request)

        self._flight.run(worn, work, patience=settings.CALENDAR_TIMEOUT)


def get_grant(refresh_token: str | None) -> Grant:
    """Return the grant of ``refresh_token``, else the service account's.

    Raises CalendarNotConnectedError.
    """
    if refresh_token:
        return _user_grant(
            refresh_token,
            settings.GOOGLE_TOKEN_URL,
            settings.AUTH_PROVIDER_ID,
            settings.AUTH_PROVIDER_SECRET,
        )
    if settings.CALENDAR_SERVICE_ACCOUNT:
        return _account_grant(json.dumps(settings.CALENDAR_SERVICE_ACCOUNT, sort_keys=True))
    raise CalendarNotConnectedError("No calendar is connected.")


def api_key_headers() -> dict[str, str]:
    """Return the API key as a header; in the query it would be logged.

    https://docs.cloud.google.com/docs/authentication/api-keys-use
    """
    if not settings.CALENDAR_API_KEY or name_calendar() == "primary":
        return {}
    return {"X-Goog-Api-Key": settings.CALENDAR_API_KEY}


def _account_grant(key: str) -> Grant:
    """Act for the administrator if the token endpoint allows it, else as the account."""
    itself = _service_grant(key, "")
    if not settings.ADMIN_EMAIL or itself.is_fresh:
        return itself
    delegated = _service_grant(key, settings.ADMIN_EMAIL)
    if delegated.is_fresh:
        return delegated
    try:
        with provider_errors():
            delegated.refresh(Request(Transport(settings.CALENDAR_TIMEOUT)))
    except CalendarNotConnectedError:
        logger.info("The service account may not act for the administrator: it acts as itself.")
        return itself
    except CalendarUnavailableError:
        pass  # the operation's own requests try again
    return delegated


@lru_cache(maxsize=4)
def _user_grant(token: str, token_url: str, client_id: str, client_secret: str) -> Grant:
    credentials = user.Credentials(  # type: ignore[no-untyped-call]  # the package has no types
        token=None,
        refresh_token=token,
        token_uri=token_url,
        client_id=client_id,
        client_secret=client_secret,
    )
    return Grant(credentials, may_invite=True)


@lru_cache(maxsize=4)
def _service_grant(key: str, subject: str) -> Grant:
    try:
        read = service_account.Credentials.from_service_account_info
        credentials = read(  # type: ignore[no-untyped-call]  # the package has no types
            json.loads(key), scopes=[settings.CALENDAR_SCOPE], subject=subject or None
        )
    except ValueError as error:
        raise CalendarNotConnectedError("SERVICE_ACCOUNT_JSON holds no usable key.") from error
    return Grant(credentials, may_invite=bool(subject))
