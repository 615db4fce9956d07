"""The documented flow from end to end, by a plain HTTP client: a real server, real redirects.

The teacher connects the calendar by signing in; a student books and schedules; a friend joins.
"""

import re
from datetime import timedelta

import pytest
import requests
from django.utils import timezone

from tests.environment import TEACHER_EMAIL
from tests.processes import database_url, web_server

TIMEOUT_SECONDS = 20


class Person:
    """Somebody with a program that keeps cookies and speaks JSON."""

    def __init__(self, url):
        self.url = url
        self.http = requests.Session()

    def get(self, path):
        return self.http.get(self.url + path, timeout=TIMEOUT_SECONDS, allow_redirects=False)

    def post(self, path, body):
        return self.http.post(self.url + path, json=body, timeout=TIMEOUT_SECONDS)

    def sign_in(self, provider, email):
        """Sign in as NextAuth's client does; give the address the callback leads to."""
        form = {"csrfToken": self.get("/api/auth/csrf").json()["csrfToken"], "json": "true"}
        start = self.http.post(
            f"{self.url}/api/auth/signin/{provider}", data=form, timeout=TIMEOUT_SECONDS
        )
        # At the provider, in the browser: another site, which must not get our cookies.
        consent = requests.post(
            start.json()["url"],
            data={"email": email},
            timeout=TIMEOUT_SECONDS,
            allow_redirects=False,
        )
        callback = consent.headers["Location"]
        assert callback.startswith(f"{self.url}/api/auth/callback/{provider}?")
        return self.get(callback.removeprefix(self.url)).headers["Location"]


@pytest.fixture
def new_person(transactional_db, google, github, tmp_path):
    """Let people come to a running server that begins with an empty database."""
    google.add_person(email=TEACHER_EMAIL, name="Paula Profe")
    google.add_person(email="ana@example.com", name="Ana Álvarez")
    github.add_person(login="bruno", email="bruno@example.com", name="Bruno Benítez")
    with web_server(tmp_path, DATABASE_URL=database_url()) as server:
        yield lambda: Person(server.url)


def test_class_is_booked_scheduled_and_shared(new_person, google):
    teacher, ana, bruno, stranger = (new_person() for _ in range(4))

    # The teacher's consent is what opens the calendar.
    assert teacher.sign_in("google", TEACHER_EMAIL) == "/admin/entrar/"
    assert stranger.get("/api/calendar").json() == []

    # A student signs in and books.
    assert ana.get("/api/auth/session").json() == {}
    assert ana.sign_in("google", "ana@example.com") == "/inicio"
    session = ana.get("/api/auth/session").json()
    assert session["user"]["name"] == "Ana Álvarez"
    start = (timezone.now() + timedelta(days=3)).replace(minute=0, second=0, microsecond=0)
    booking = {
        "start": start.isoformat(),
        "end": (start + timedelta(hours=1)).isoformat(),
        "isGroupClass": True,
        "studentsCount": 3,
        "text": "Travel",
        "price": 2_400_000,
        "preferenceId": "preference-of-ana",
    }
    booked = ana.post("/api/booking", booking)
    assert (booked.status_code, booked.json()) == (200, {"success": True, "status": 200})
    assert ana.get("/api/calendar").json() == []

    # The payment is confirmed, by whoever learns of it, and once more.
    for _ in range(2):
        scheduled = stranger.post("/api/calendar", {"preferenceId": "preference-of-ana"})
        assert (scheduled.status_code, scheduled.json()) == (
            200,
            {"success": True, "message": "Event created successfully"},
        )
    [event] = google.live_events()
    assert event["summary"] == "Clase de Inglés"
    assert event["attendees"][0]["email"] == "ana@example.com"
    [slot] = stranger.get("/api/calendar").json()
    assert set(slot) == {"start", "end", "status"}

    # The host finds the code on their page and passes it on.
    class_path = re.search(r"/inicio/clases/[0-9a-f-]{36}", ana.get("/inicio/clases").text)[0]
    code = re.search(r'data-testid="access-code"[^>]*>\s*(\w{8})', ana.get(class_path).text)[1]
    assert ana.post("/api/access-code", code).json()["response"]["code"] == "own_class"

    # A friend joins with another provider's account, once.
    assert bruno.post("/api/access-code", code).status_code == 401
    assert bruno.get(class_path).status_code == 302
    assert bruno.sign_in("github", "bruno@example.com") == "/inicio"
    assert bruno.get(class_path).status_code == 404
    joined = bruno.post("/api/access-code", code.lower())
    assert joined.status_code == 200
    assert joined.json()["response"] == {
        "id": class_path.rpartition("/")[2],
        "bookedById": session["user"]["id"],
        "htmlLink": event["conferenceData"]["entryPoints"][0]["uri"],
        "startTime": start.astimezone(timezone.get_default_timezone()).isoformat(),
        "endTime": (start + timedelta(hours=1))
        .astimezone(timezone.get_default_timezone())
        .isoformat(),
        "classType": "grupal",
        "currentParticipants": 2,
        "maxParticipants": 3,
    }
    assert bruno.post("/api/access-code", code).json()["response"]["code"] == "already_joined"
    assert bruno.get(class_path).status_code == 200

    # The friend keeps a profile and leaves.
    profile = {"location": "Rosario", "level": "basico", "phone": "341", "newsletter": "si"}
    stored = bruno.post("/api/user-data", profile).json()
    assert stored["user"]["email"] == "bruno@example.com"
    assert bruno.get("/api/user-data").json() == profile
    assert bruno.get("/api/auth/signout").status_code == 302
    assert bruno.get("/api/user-data").status_code == 401
    assert bruno.get("/api/auth/session").json() == {}
