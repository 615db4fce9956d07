"""POST /api/booking against everything a client may send by mistake or by malice.

Every refusal is JSON in the documented shape, writes no row and calls nobody.
"""

import gzip
from datetime import UTC, datetime

import pytest
from rest_framework.exceptions import ParseError

from bookings.api.serializers import BookingSerializer
from bookings.models import VirtualClass
from tests.api.bodies import answer_of, booking_body, booking_text, post
from tests.config.test_api import parse

FIELDS = ("start", "end", "isGroupClass", "studentsCount", "text", "price", "preferenceId")
REQUIRED = tuple(field for field in FIELDS if field != "text")
DIGITS = "9" * 5000

# Field -> JSON texts that are no value for it.
BAD_VALUES = {
    "start": {
        "a date alone": '"2030-01-05"',
        "a week date": '"2030-W01-1"',
        "an ordinal date": '"2030-005T15:00:00Z"',
        "a space for the T": '"2030-01-05 15:00:00Z"',
        "Arabic-Indic digits": '"٢٠٣٠-٠١-٠٥T١٥:٠٠:٠٠Z"',
        "space before": '" 2030-01-05T15:00:00Z"',
        "newline after": '"2030-01-05T15:00:00Z\\n"',
        "year 1": '"0001-01-01T00:00:00+14:00"',
        "year 9999": '"9999-12-31T23:59:59-14:00"',
        "year 0": '"0000-01-01T00:00:00Z"',
        "year 10000": '"10000-01-01T00:00:00Z"',
        "year 1999": '"1999-12-31T23:59:59Z"',
        "year 2101": '"2101-01-01T00:00:00Z"',
        "30 February": '"2030-02-30T15:00:00Z"',
        "month 13": '"2030-13-05T15:00:00Z"',
        "24:00": '"2030-01-05T24:00:00Z"',
        "a leap second": '"2030-01-05T23:59:60Z"',
        "a space for the offset's sign": '"2030-01-05T15:00:00 03:00"',
        "an underscore for the T": '"2030-01-05_15:00:00Z"',
        "half a compact time": '"2030-01-05T15:0000Z"',
        "a compact week date": '"2030W011T15:00:00Z"',
        "offset +99:99": '"2030-01-05T15:00:00+99:99"',
        "a zone's name": '"2030-01-05T15:00:00 America/Argentina/Buenos_Aires"',
        "500 characters": '"' + "2" * 500 + '"',
        "a timestamp": "1893866400",
        "true": "true",
        "a list": '["2030-01-05T15:00:00Z"]',
        "an object": '{"dateTime":"2030-01-05T15:00:00Z"}',
        "empty": '""',
        "after the end": '"2030-01-05T16:00:01-03:00"',
        "the end": '"2030-01-05T16:00:00-03:00"',
        "the end, elsewhere": '"2030-01-05T19:00:00Z"',
        "nine hours before": '"2030-01-05T07:00:00-03:00"',
    },
    "end": {
        "a date alone": '"2030-01-05"',
        "in the past": '"2020-01-05T16:00:00-03:00"',
        "a number": "0",
        "empty": '""',
    },
    "isGroupClass": {
        '"true"': '"true"',
        '"yes"': '"yes"',
        '"on"': '"on"',
        "1": "1",
        "0": "0",
        "empty": '""',
        "a list": "[]",
        "an object": "{}",
    },
    "studentsCount": {
        "-1": "-1",
        "-0.5": "-0.5",
        "1.5": "1.5",
        "101": "101",
        "2^31": "2147483648",
        "2^63": "9223372036854775808",
        "5000 digits": DIGITS,
        "1e400": "1e400",
        '"5"': '"5"',
        "true": "true",
        "a list": "[5]",
        "an object": "{}",
    },
    "price": {
        "-1": "-1",
        "half a centavo": "10.5",
        "over the limit": "10000000001",
        "1e18": "1e18",
        "2^63": "9223372036854775808",
        "NaN": "NaN",
        "Infinity": "Infinity",
        "-Infinity": "-Infinity",
        "1e400": "1e400",
        "5000 digits": DIGITS,
        '"1000"': '"1000"',
        '"NaN"': '"NaN"',
        "true": "true",
        "hexadecimal": "0x10",
        "a leading zero": "010",
        "a list": "[1000]",
        "an object": "{}",
    },
    "text": {
        "2001 characters": '"' + "x" * 2001 + '"',
        "NUL": r'"a\u0000b"',
        "half a surrogate pair": r'"\ud800"',
        "the other half": r'"\udc00"',
        "a raw control character": '"a\x01b"',
        "a number": "5",
        "true": "true",
        "a list": "[]",
        "an object": "{}",
    },
    "preferenceId": {
        "empty": '""',
        "spaces": '"   "',
        "256 characters": '"' + "p" * 256 + '"',
        "10000 characters": '"' + "p" * 10_000 + '"',
        "a number": "123",
        "true": "true",
        "an operator": '{"$ne":null}',
        "a list": '["p"]',
        "NUL": r'"p\u0000"',
        "half a surrogate pair": r'"p\udfff"',
        "a newline": r'"p\nq"',
        "a tab": r'"p\t"',
        "an escape sequence": r'"\u001b[31mp"',
        "a line separator": r'"p\u2028q"',
        "right-to-left override": r'"p\u202eq"',
    },
}
# Those sent to the service: one of each kind, and what the domain or PostgreSQL refuses.
ASKED = {
    *("a date alone", "year 1", "empty", "a list", "a number", "missing", "null"),
    *("after the end", "the end", "the end, elsewhere", "nine hours before", "in the past"),
    *("101", "over the limit", "2^31", "2^63", "1e18", "NaN", "5000 digits", "2001 characters"),
    *("256 characters", "NUL", "half a surrogate pair", "the other half", "a newline"),
}
CASES = {
    f"{field}: {name}": booking_text(field, text)
    for field, values in BAD_VALUES.items()
    for name, text in values.items()
}
CASES |= {f"{field}: missing": booking_text(field, None) for field in REQUIRED}
CASES |= {f"{field}: null": booking_text(field, "null") for field in REQUIRED}
SENT = {name: body for name, body in CASES.items() if name.partition(": ")[2] in ASKED}


def assert_refused(response, status=400):
    code, body = answer_of(response)
    assert (code, body) == (status, {"success": False, "status": status, "error": body["error"]})
    assert isinstance(body["error"], str)
    assert 0 < len(body["error"]) < 200


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("body", SENT.values(), ids=SENT)
def test_booking_refuses_a_bad_value(signed_in, body):
    assert_refused(post(signed_in, "/api/booking", body))


def test_parser_or_fields_refuse_every_other_bad_value():
    def is_refused(body):
        try:
            return not BookingSerializer(data=parse(body.encode())).is_valid()
        except ParseError:
            return True

    others = CASES.keys() - SENT.keys()
    assert len(others) > 40
    assert [name for name in others if not is_refused(CASES[name])] == []


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("encoding", ["gzip", "br", "identity, gzip"])
def test_booking_refuses_a_compressed_body(signed_in, encoding):
    body = gzip.compress(booking_text("price", "1000").encode())

    response = post(signed_in, "/api/booking", body, headers={"Content-Encoding": encoding})

    assert_refused(response, status=415)


# Field -> JSON texts that are fine, and what is stored for each.
GOOD_VALUES = [
    ("start", '"2030-01-05T15:00:00"', "start_time", datetime(2030, 1, 5, 18, tzinfo=UTC)),
    ("start", '"2030-01-05T18:30Z"', "start_time", datetime(2030, 1, 5, 18, 30, tzinfo=UTC)),
    *[
        ("start", f'"{text}"', "start_time", datetime(2030, 1, 5, 18, tzinfo=UTC))
        for text in (
            "2030-01-05T15:00:00-03",
            "2030-01-05T15:00:00-0300",
            "2030-01-05T21:00:00+0300",
            "2030-01-05t18:00:00z",
            "2030-01-05T18Z",
            "2030-01-05T15-03",
            "20300105T180000Z",
            "20300105T1500-03:00",
            "2030-01-05T18:00:00,0Z",
            "2030-01-05T21:00:01+03:00:01",
        )
    ],
    ("start", '"2030-01-05T20:00:00+02:00"', "start_time", datetime(2030, 1, 5, 18, tzinfo=UTC)),
    (
        "start",
        '"2030-01-05T15:00:00.123456789-03:00"',
        "start_time",
        datetime(2030, 1, 5, 18, 0, 0, 123456, tzinfo=UTC),
    ),
    ("isGroupClass", "false", "class_type", "individual"),
    ("studentsCount", "0", "max_participants", 0),
    ("studentsCount", "-0", "max_participants", 0),
    ("studentsCount", "5.0", "max_participants", 5),
    ("studentsCount", "100", "max_participants", 100),
    ("price", "0", "class_price", 0),
    ("price", "-0.0", "class_price", 0),
    ("price", "1000.0", "class_price", 1000),
    ("price", "1e3", "class_price", 1000),
    ("price", "10000000000", "class_price", 10**10),
    ("text", "null", "learning_focus", ""),
    ("text", '""', "learning_focus", ""),
    ("text", None, "learning_focus", ""),
    ("text", '"' + "ñ" * 2000 + '"', "learning_focus", "ñ" * 2000),
    ("text", r'"a\nb\tc"', "learning_focus", "a\nb\tc"),
    ("text", '"<script>alert(1)</script>"', "learning_focus", "<script>alert(1)</script>"),
    ("text", '"{{ 7*7 }} %s%n"', "learning_focus", "{{ 7*7 }} %s%n"),
    ("text", r'"\u202e\u001b[31m"', "learning_focus", "\u202e\x1b[31m"),
    ("text", r'"\ud83d\udc69\u200d\ud83d\udc67"', "learning_focus", "👩\u200d👧"),
    ("preferenceId", '"' + "p" * 255 + '"', "preference_id", "p" * 255),
    ("preferenceId", '"\' OR 1=1 --"', "preference_id", "' OR 1=1 --"),
    ("preferenceId", '"ñandú 1"', "preference_id", "ñandú 1"),
]


@pytest.mark.parametrize(
    ("field", "text", "column", "stored"),
    GOOD_VALUES,
    ids=[f"{field}: {str(text)[:30]}" for field, text, _, _ in GOOD_VALUES],
)
def test_booking_stores_what_came(signed_in, field, text, column, stored):
    response = post(signed_in, "/api/booking", booking_text(field, text))

    assert response.status_code == 200
    assert getattr(VirtualClass.objects.get(), column) == stored


def test_booking_passes_over_keys_it_does_not_know(signed_in, host, stranger):
    extras = {
        "id": "11111111-1111-1111-1111-111111111111",
        "bookedById": str(stranger.pk),
        "status": "scheduled",
        "accessCode": "ABCD2345",
        "providerEventId": "event1",
        "currentParticipants": 3,
        "participantsIds": [str(stranger.pk)],
        "htmlLink": "https://evil.example",
        "hostType": "anfitrion",
        "paidAt": "2020-01-01T00:00:00Z",
        "__proto__": {"x": 1},
        "constructor": "x",
    }

    response = post(signed_in, "/api/booking", booking_body(**extras))

    stored = VirtualClass.objects.get()
    assert response.status_code == 200
    assert str(stored.pk) != extras["id"]
    assert (stored.booked_by, stored.participants_ids) == (host, [str(host.pk)])
    assert (stored.status, stored.current_participants, stored.host_type) == ("pending", 0, "")
    assert (stored.access_code, stored.provider_event_id) == (None, None)
    assert stored.purchase.paid_at is None


@pytest.mark.usefixtures("untouched")
def test_booking_does_not_read_the_query(signed_in):
    query = "&".join(f"{name}={value}" for name, value in booking_body().items())

    assert_refused(post(signed_in, f"/api/booking?{query}", b""))
    assert_refused(post(signed_in, f"/api/booking?{query}", {}))
