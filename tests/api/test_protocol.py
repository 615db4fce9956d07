"""How the class API treats methods, origins, headers and addresses, whatever the body says."""

import pytest

from tests.api.bodies import answer_of, booking_body, post
from tests.factories import VirtualClassFactory

BOOKING, CALENDAR, ACCESS_CODE = "/api/booking", "/api/calendar", "/api/access-code"
USER_DATA, PREFERENCE = "/api/user-data", "/api/payments/preference"
OWN = "http://testserver"


def body_of(path, status, text):
    """Give the documented shape of an error at ``path``."""
    error = {"error": text}
    return {"success": False, "status": status, **error} if path == BOOKING else error


# --- Methods --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize(
    ("path", "method"),
    [
        *[(BOOKING, m) for m in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS", "FOO")],
        *[(CALENDAR, m) for m in ("DELETE", "FOO")],
        *[(ACCESS_CODE, m) for m in ("GET", "FOO")],
    ],
)
def test_method_is_refused(signed_in, path, method):
    response = signed_in.generic(method, path, b'{"marker":1}', content_type="application/json")

    assert answer_of(response) == (405, body_of(path, 405, f'Método "{method}" no permitido.'))
    assert "POST" in response["Allow"]
    assert b"marker" not in response.content


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        (BOOKING, "POST"),
        (CALENDAR, "GET, POST, HEAD"),
        (ACCESS_CODE, "POST"),
        ("/api/payments/preference", "POST"),
        ("/api/webhooks/mercadopago", "POST"),
        ("/api/webhooks/calendar", "POST"),
        ("/api/user-data", "GET, POST, HEAD"),
        ("/api/auth/session", "GET, POST, HEAD"),
        ("/api/auth/signin/google", "GET, POST, HEAD"),
        ("/api/openapi.json", "GET, HEAD"),
        ("/api/docs", "GET, HEAD"),
        ("/healthz", "GET, HEAD"),
    ],
)
def test_options_is_refused_everywhere(signed_in, path, methods):
    response = signed_in.options(path)

    named = response["Allow"].split(", ")
    assert (response.status_code, sorted(named)) == (405, sorted(methods.split(", ")))


def test_head_looks_like_get_without_the_body(anybody, teacher):
    response = anybody.head(CALENDAR)

    assert (response.status_code, response.content) == (200, b"")


# --- Origins --------------------------------------------------------------------------------------

FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "https://testserver"},
    {"Origin": "http://testserver:8000"},
    {"Origin": "http://testserver@evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": OWN},
]
SOME_FOREIGN = [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        *[(BOOKING, headers) for headers in FOREIGN],
        (ACCESS_CODE, FOREIGN[0]),
        (USER_DATA, FOREIGN[0]),
    ],
    ids=str,
)
def test_other_sites_cannot_use_the_cookie(signed_in, untouched, path, headers):
    body = booking_body() if path == BOOKING else "ABCD2345"

    response = post(signed_in, path, body, "text/plain", headers=headers)

    assert answer_of(response) == (403, body_of(path, 403, "El pedido viene de otro sitio."))


@pytest.mark.parametrize("headers", SOME_FOREIGN, ids=str)
def test_other_sites_schedule_no_class(anybody, host, teacher, google, headers):
    pending = VirtualClassFactory(booked_by=host)

    response = post(
        anybody, CALENDAR, {"preferenceId": pending.preference_id}, "text/plain", headers=headers
    )

    pending.refresh_from_db()
    assert answer_of(response) == (403, {"error": "El pedido viene de otro sitio."})
    assert (pending.status, pending.scheduling_requested_at) == ("pending", None)
    assert google.requests == []


@pytest.mark.parametrize("headers", SOME_FOREIGN, ids=str)
def test_other_sites_may_look_at_the_calendar(anybody, teacher, headers):
    assert answer_of(anybody.get(CALENDAR, headers=headers)) == (200, [])


OWN_HEADERS = [
    {},
    {"Origin": OWN},
    {"Sec-Fetch-Site": "same-origin", "Origin": OWN},
    {"Sec-Fetch-Site": "none"},
]


@pytest.mark.parametrize("headers", OWN_HEADERS, ids=str)
def test_own_pages_and_programs_can(signed_in, headers):
    response = post(signed_in, BOOKING, booking_body(), headers=headers)

    assert response.status_code == 200


# --- Bodies: tests/config/test_api.py has what the parser takes ----------------------------------


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("path", [BOOKING, CALENDAR, ACCESS_CODE, USER_DATA, PREFERENCE])
@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        ("{", "application/json", 400),
        ("[]", "text/plain", 400),
        ("a=1", "application/x-www-form-urlencoded", 415),
        ("{}", "application/json; charset=utf-16", 415),
        (" " * 65_536 + "{}", "application/json", 413),
    ],
    ids=["cut", "a list", "a form", "another charset", "too large"],
)
def test_body_is_refused(signed_in, path, body, content_type, status):
    code, answer = answer_of(post(signed_in, path, body, content_type))

    assert (code, answer) == (status, body_of(path, status, answer["error"]))


@pytest.mark.parametrize("content_type", ["", "text/plain;charset=UTF-8", ";;;"])
def test_json_is_read_whatever_it_is_called(signed_in, content_type):
    assert post(signed_in, BOOKING, booking_body(), content_type).status_code == 200


# --- What a client accepts -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Accept": "text/html"},
        {"Accept": ""},
        {"Accept": "x/y*" * 2000},
        {"Accept-Language": "en"},
        {"Accept-Encoding": "x" * 4000},
        {"If-None-Match": '"of another list"'},
        {"Cookie": "session=x; session=y; csrftoken=z"},
        {"Authorization": "Bearer x"},
    ],
    ids=lambda headers: "{}: {:.20}".format(*next(iter(headers.items()))),
)
def test_answer_is_the_same_json_whatever_the_headers(anybody, teacher, headers):
    assert answer_of(anybody.get(CALENDAR, headers=headers)) == (200, [])


@pytest.mark.django_db
@pytest.mark.parametrize(
    "cookie",
    [
        "session=x",
        "session=" + "x" * 10_000,
        "session=\xff;;=;",
    ],
    ids=lambda cookie: cookie[:20],
)
def test_cookie_that_is_no_session_signs_nobody_in(anybody, cookie):
    response = anybody.get("/api/user-data", headers={"Cookie": cookie})

    assert answer_of(response) == (401, {"error": "Ingresá para continuar."})


@pytest.mark.parametrize(
    "query",
    [
        "maxResults=99999999&timeMin=x&calendarId=other&key=x",
        "format=api",
        "%ff=%ff&%00=%00",
        "&".join(f"a{n}=1" for n in range(2000)),
    ],
    ids=lambda query: query[:20],
)
def test_answer_is_the_same_json_whatever_the_query(anybody, teacher, google, query):
    response = anybody.get(f"{CALENDAR}?{query}")

    assert answer_of(response) == (200, [])
    assert {call.path for call in google.requests if call.route == "events.list"} == {
        "/calendar/v3/calendars/primary/events"
    }


# --- Addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/api/",
        "/api/booking/",
        "/api/booking.json",
        "/api//booking",
        "/api/..%2fbooking",
        "/api/BOOKING",
        "/api/%00",
        "/api/" + "x" * 8000,
    ],
    ids=lambda path: path[:30],
)
def test_unknown_path_is_json(signed_in, path):
    for method in ("GET", "POST"):
        response = signed_in.generic(method, path, "{}", content_type="application/json")

        assert answer_of(response) == (404, {"error": "No encontrado."})


@pytest.mark.parametrize("name", ["evil.example", "testserver.evil.example", "a b", "[::1"])
def test_foreign_host_is_refused(signed_in, untouched, name):
    response = post(signed_in, BOOKING, booking_body(), headers={"Host": name})

    assert answer_of(response) == (400, {"error": "El pedido no es válido."})
