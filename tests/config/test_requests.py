"""config/web/requests.py: what a form sends along is read by nobody and stored nowhere."""

import tempfile
from io import BytesIO
from pathlib import Path

import pytest

from config.web.requests import Request

BOUNDARY = "boundary"
FORM = (
    f"--{BOUNDARY}\r\n"
    'Content-Disposition: form-data; name="access_code"\r\n\r\nABCD2345\r\n'
    f"--{BOUNDARY}\r\n"
    'Content-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n'
    f"{'x' * 5_000_000}\r\n--{BOUNDARY}--\r\n"
).encode()


def test_request_stores_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    request = Request(
        {
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
            "CONTENT_LENGTH": str(len(FORM)),
            "wsgi.input": BytesIO(FORM),
        }
    )

    assert (request.POST["access_code"], request.FILES) == ("ABCD2345", {})
    assert list(Path(tmp_path).iterdir()) == []


@pytest.mark.parametrize("charset", ["latin-1", "utf-16", "base64"])
def test_request_keeps_a_charset_for_the_parser_only(charset):
    content_type = f"application/json; charset={charset}"

    request = Request(
        {"REQUEST_METHOD": "POST", "CONTENT_TYPE": content_type, "wsgi.input": BytesIO()}
    )

    assert (request.headers["Content-Type"], request.encoding) == (content_type, None)
