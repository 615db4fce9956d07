"""A stand-in of GitHub: OAuth sign-in and the two profile calls. The API lives at the root."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode

from tests.standins.messages import (
    RecordedRequest,
    RefusedError,
    Reply,
    json_reply,
    page_reply,
    redirect_reply,
)
from tests.standins.server import Route, Standin, route
from tests.standins.sign_in import (
    Choice,
    Code,
    account_page,
    is_authorization,
    make_code,
    name_from,
    refuse_authorization,
    style_reply,
    with_query,
)

DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True, slots=True)
class GitHubPerson:
    """addresses: the primary one first, each with whether it is verified."""

    id: int
    login: str
    name: str
    avatar_url: str
    addresses: tuple[tuple[str, bool], ...]

    @property
    def email(self) -> str:
        return self.addresses[0][0]


class GitHubStandin(Standin):
    """GitHub on loopback.

    Settable at any time: ``deny`` (the person refuses).
    """

    routes: ClassVar[tuple[Route, ...]] = (
        route("authorize", "GET", "/login/oauth/authorize", "_show_accounts"),
        route("authorize", "POST", "/login/oauth/authorize", "_consent"),
        route("token", "POST", "/login/oauth/access_token", "_token"),
        route("user", "GET", "/user", "_user"),
        route("emails", "GET", "/user/emails", "_emails"),
        route("style", "GET", "/style.css", "_style"),
    )

    def _forget(self) -> None:
        super()._forget()
        self.deny = False
        self.people: dict[str, GitHubPerson] = {}
        self._codes: dict[str, Code] = {}
        self._tokens: dict[str, tuple[GitHubPerson, frozenset[str]]] = {}

    def add_person(
        self,
        login: str,
        email: str,
        name: str = "",
        *,
        verified: bool = True,
        user_id: int | None = None,
        avatar_url: str = "",
        extra_emails: Iterable[str | tuple[str, bool]] = (),
    ) -> GitHubPerson:
        """Let somebody have an account. Without ``user_id`` it follows from the login.

        extra_emails: further addresses; verified, unless given as ``(address, False)``.
        """
        extra = [(one, True) if isinstance(one, str) else (one[0], one[1]) for one in extra_emails]
        number = int.from_bytes(hashlib.sha256(login.lower().encode()).digest()[:4])
        person = GitHubPerson(
            user_id or number, login, name or login, avatar_url, ((email, verified), *extra)
        )
        with self.lock:
            self.people[login.lower()] = person
        return person

    def error_body(self, route_name: str, code: int, reason: str) -> Any:
        usual = {401: "Bad credentials", 404: "Not Found", 500: "Server Error"}
        message = reason or usual.get(code, "Error")
        return {"message": message, "documentation_url": DOCS, "status": str(code)}

    # --- Sign-in ------------------------------------------------------------------------------

    def _show_accounts(self, request: RecordedRequest, error: str = "") -> Reply:
        query = request.query
        if not is_authorization(query):
            return refuse_authorization("GitHub")
        people = [Choice(person.email, person.name) for person in self.people.values()]
        page = account_page("GitHub", people, redirect_uri=query["redirect_uri"], error=error)
        return page_reply(page, 400 if error else 200)

    def _consent(self, request: RecordedRequest) -> Reply:
        query, form = request.query, request.form
        if not is_authorization(query):
            return refuse_authorization("GitHub")
        state = query.get("state", "")
        if self.deny or form.get("action") == "cancel":
            location = with_query(
                query["redirect_uri"],
                error="access_denied",
                error_description="The user has denied your application access.",
                state=state,
            )
            return redirect_reply(location)
        email = (form.get("email") or form.get("other_email") or "").strip()
        if "@" not in email:
            return self._show_accounts(request, error="Escribí un correo electrónico.")
        scopes = frozenset(query.get("scope", "").replace(",", " ").split())
        code = secrets.token_hex(10)
        self._codes[code] = make_code(request, self._person(email).login, scopes)
        return redirect_reply(with_query(query["redirect_uri"], code=code, state=state))

    def _person(self, email: str) -> GitHubPerson:
        for person in self.people.values():
            if person.email.lower() == email.lower():
                return person
        login = email.partition("@")[0].replace(".", "-").replace("_", "-")
        return self.add_person(login, email, name_from(email))

    def _token(self, request: RecordedRequest) -> Reply:
        """Exchange a code. GitHub answers errors with 200, too."""
        form = request.form
        code = self._codes.pop(form.get("code", ""), None)
        if not request.client[0]:
            answer = {"error": "incorrect_client_credentials"}
        elif code is None or code.is_expired or code.client_id != request.client[0]:
            answer = {"error": "bad_verification_code"}
        elif form.get("redirect_uri", code.redirect_uri) != code.redirect_uri:
            answer = {"error": "redirect_uri_mismatch"}
        elif not code.accepts_verifier(form.get("code_verifier", "")):
            answer = {"error": "bad_verification_code"}
        else:
            token = f"gho_{secrets.token_hex(18)}"
            self._tokens[token] = (self.people[code.subject.lower()], code.scopes)
            scope = ",".join(sorted(code.scopes))
            answer = {"access_token": token, "scope": scope, "token_type": "bearer"}
        if "json" in request.headers.get("Accept", ""):
            return json_reply(answer)
        return Reply(
            body=urlencode(answer).encode(), content_type="application/x-www-form-urlencoded"
        )

    # --- API ----------------------------------------------------------------------------------

    def _user(self, request: RecordedRequest) -> Reply:
        person, _ = self._caller(request)
        return json_reply(
            {
                "login": person.login,
                "id": person.id,
                "avatar_url": person.avatar_url,
                "html_url": f"https://github.com/{person.login}",
                "type": "User",
                "name": person.name,
                # Only an address somebody made public stands here, and few do.
                "email": None,
            }
        )

    def _emails(self, request: RecordedRequest) -> Reply:
        person, scopes = self._caller(request)
        if scopes.isdisjoint({"user", "user:email"}):
            raise RefusedError(json_reply(self.error_body("emails", 404, ""), 404))
        primary = person.email
        return json_reply(
            [
                {
                    "email": email,
                    "primary": email == primary,
                    "verified": verified,
                    "visibility": "private" if email == primary else None,
                }
                for email, verified in person.addresses
            ]
        )

    def _caller(self, request: RecordedRequest) -> tuple[GitHubPerson, frozenset[str]]:
        if request.bearer not in self._tokens:
            raise RefusedError(json_reply(self.error_body("user", 401, ""), 401))
        return self._tokens[request.bearer]

    def _style(self, request: RecordedRequest) -> Reply:
        return style_reply()
