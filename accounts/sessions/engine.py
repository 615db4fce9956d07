"""The session engine: the cookie is a signed JWT that names a row of ``accounts.Session``.

Forged cookies cost no query; one query reads row and person.
"""

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.utils import timezone

from accounts.models import Session, User
from accounts.sessions.tokens import SessionToken, issue_token, read_token

KEY_BYTES = 16
# A stranger's session lasts for a sign-in at the provider.
STRANGER_AGE_SECONDS = 3_600
PANEL_USE_NOTED_EVERY = timedelta(minutes=1)


class SessionStore(SessionBase):
    """``session_key`` is the token in the cookie, ``_session_key`` the row's key."""

    def __init__(self, session_key: str | None = None) -> None:
        self._token: SessionToken | None = read_token(session_key) if session_key else None
        self._row: Session | None = None
        self._is_row_read = False
        # Set at sign-in; the next save stores it.
        self.user_agent = ""
        super().__init__(self._token.session_id if self._token else None)

    @property
    def session_key(self) -> str | None:
        return self._token.value if self._session_key and self._token else None

    @property
    def row_key(self) -> str | None:
        return self._session_key

    @property
    def expires_at(self) -> datetime | None:
        if not self._session_key or not self._token:
            return None
        if self._row and self._row.user and self._row.user.is_staff:
            return min(self._token.expires_at, timezone.now() + settings.PANEL_SESSION_AGE)
        return self._token.expires_at

    @property
    def seen_user(self) -> User | None:
        """Return the row's person without a query."""
        return self._row.user if self._row else None

    @property
    def user(self) -> User | None:
        if self.accessed:
            user = self._row.user if self._row else None
            return user if user and str(user.pk) == self.get(SESSION_KEY) else None
        # ``save`` writes the person beside the data, so the data need not be decoded.
        self.accessed = True
        row = self._read_row()
        return row.user if row else None

    def get_session_cookie_age(self) -> int:
        """Return seconds. Spec: Authentication, 3."""
        return settings.SESSION_COOKIE_AGE if SESSION_KEY in self else STRANGER_AGE_SECONDS

    def load(self) -> dict[str, Any]:
        row = self._read_row()
        return self.decode(row.session_data) if row else {}

    def _read_row(self) -> Session | None:
        """Read the row once; ``modified`` makes SessionMiddleware save it and send the cookie."""
        if not self._is_row_read and self._session_key:
            self._row = _find_live(self._session_key)
            self._is_row_read = True
            if self._row and self._row.user and self._row.user.is_staff:
                self._keep_in_use(self._row)
            if self._row is None:
                self._session_key = None
            elif self._token and self._token.is_due_for_renewal:
                user_id = self._token.user_id
                self._token = issue_token(session_id=self._session_key, user_id=user_id)
                self.modified = True
        return self._row

    def _keep_in_use(self, row: Session) -> None:
        idle = timezone.now() - row.used_at
        if idle > settings.PANEL_SESSION_AGE:
            self._row = None
        elif abs(idle) > PANEL_USE_NOTED_EVERY:  # abs: a clock may have been ahead
            self.modified = True

    def exists(self, session_key: str) -> bool:
        return Session.objects.filter(session_key=session_key).exists()

    def create(self) -> None:
        self.items()  # reads the old row, if there is one, before its key is forgotten
        self._session_key = secrets.token_hex(KEY_BYTES)
        self.save(must_create=True)
        self.modified = True

    def save(self, must_create: bool = False) -> None:
        """Raise UpdateError if the row has been revoked."""
        if self._session_key is None:
            return self.create()
        data = dict(self.items())
        row = {
            "session_data": self.encode(data),
            "expire_date": self.get_expiry_date(),
            "user_id": data.get(SESSION_KEY),
            "used_at": timezone.now(),
        }
        if self.user_agent:
            row["user_agent"] = self.user_agent
        if must_create:
            Session.objects.create(session_key=self._session_key, **row)
        elif not Session.objects.filter(session_key=self._session_key).update(**row):
            raise UpdateError
        named = (self._token.session_id, self._token.user_id) if self._token else None
        if named != (self._session_key, data.get(SESSION_KEY)):
            self._token = issue_token(session_id=self._session_key, user_id=data.get(SESSION_KEY))
        return None

    def delete(self, session_key: str | None = None) -> None:
        if session_key is None:
            row_key = self._session_key
        else:
            token = read_token(session_key)
            row_key = token.session_id if token else None
        if row_key:
            Session.objects.filter(session_key=row_key).delete()

    @classmethod
    def clear_expired(cls) -> None:
        Session.objects.filter(expire_date__lt=timezone.now()).delete()


def _find_live(session_key: str) -> Session | None:
    """Leave out the teacher's long notes about the person."""
    rows = Session.objects.select_related("user").defer("user__private_notes")
    return rows.filter(session_key=session_key, expire_date__gt=timezone.now()).first()
