"""mercadopago/signatures.py: what was signed with our secret, and nothing else, is signed."""

import hashlib
import hmac

import pytest
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from bookings.models import SignatureState
from bookings.payments.mercadopago.notifications import check_signature

SECRET = "s3cr3t"
RESOURCE = "123456789"
REQUEST = "7b3f1a52-0000-4000-8000-000000000001"
# Computed with the provider's own library.
VECTOR = "ts=1704908010,v1=817598a5b29856728ac2e00f2de9451feb9f4481c4a1daadf3df92bd8461cc0d"


def sign(manifest, secret=SECRET):
    return hmac.new(secret.encode(), manifest.encode(), hashlib.sha256).hexdigest()


def check(header, *, request_id=REQUEST, resource_id=RESOURCE, secret=SECRET):
    headers = {"x-signature": header, "x-request-id": request_id}
    with override_settings(MERCADOPAGO_WEBHOOK_SECRET=secret):
        return check_signature({"data.id": resource_id}, headers) == SignatureState.VALID


def test_the_known_vector_is_signed():
    assert check(VECTOR)


@pytest.mark.parametrize("ts", ["1704908010", "1704908010123"], ids=["seconds", "milliseconds"])
def test_both_units_of_time_are_taken_however_old(ts):
    digest = sign(f"id:{RESOURCE};request-id:{REQUEST};ts:{ts};")

    assert check(f"ts={ts},v1={digest}")


def test_spaces_order_and_capitals_do_not_matter():
    ts, v1 = VECTOR.split(",")

    assert check(f" V1={v1[3:].upper()} , TS={ts[3:]}")


@pytest.mark.parametrize("signed_as", ["ABC123def", "abc123def"], ids=["as it is", "lower-cased"])
def test_identifiers_with_letters_are_tried_both_ways(signed_as):
    digest = sign(f"id:{signed_as};request-id:{REQUEST};ts:1704908010;")

    assert check(f"ts=1704908010,v1={digest}", resource_id="ABC123def")


@pytest.mark.parametrize(
    ("given", "manifest"),
    [
        ({"request_id": ""}, f"id:{RESOURCE};ts:1704908010;"),
        ({"resource_id": ""}, f"request-id:{REQUEST};ts:1704908010;"),
        ({"request_id": "", "resource_id": ""}, "ts:1704908010;"),
    ],
    ids=["no request id", "no resource", "neither"],
)
def test_missing_parts_are_left_out_of_what_is_signed(given, manifest):
    assert check(f"ts=1704908010,v1={sign(manifest)}", **given)


@pytest.mark.parametrize(
    "changes",
    [
        {"resource_id": "123456780"},
        {"request_id": "7b3f1a52-0000-4000-8000-000000000002"},
        {"secret": "another"},
        {"secret": ""},
    ],
    ids=["other resource", "other request", "other secret", "no secret"],
)
def test_a_signature_fits_only_what_it_was_made_for(changes):
    assert not check(VECTOR, **changes)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "ts=1704908010",
        VECTOR.split(",")[1],
        VECTOR.replace("1704908010", "1704908011"),
        VECTOR.replace("1704908010", "١٧٠٤٩٠٨٠١٠"),
        VECTOR[:-1],
        VECTOR[:-1] + "ñ",
        VECTOR[:-1] + "\udcf1",
        "ts=1704908010,v1=" + "é" * 64,
        "ts==1704908010,,v1",
        "ts=1704908010,v1=" + "0" * 64,
    ],
    ids=ascii,
)
def test_malformed_signatures_are_refused_and_never_raise(header):
    assert not check(header)


def test_an_empty_secret_signs_nothing():
    digest = sign(f"id:{RESOURCE};request-id:{REQUEST};ts:1704908010;", secret="")

    assert not check(f"ts=1704908010,v1={digest}", secret="")


@settings(max_examples=25)
@given(st.text(), st.text(), st.text())
def test_no_text_whatever_raises(header, request_id, resource_id):
    assert not check(header, request_id=request_id, resource_id=resource_id)
