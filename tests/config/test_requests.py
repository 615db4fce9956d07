"""config/web/requests.py: files are read from staff at one address, and stored nowhere."""

import tempfile
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from config.web.requests import Request

BOUNDARY = "boundary"
SIZE = 5_000_000
FORM = (
    f"--{BOUNDARY}\r\n"
    'Content-Disposition: form-data; name="access_code"\r\n\r\nABCD2345\r\n'
    f"--{BOUNDARY}\r\n"
    'Content-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n'
    f"{'x' * SIZE}\r\n--{BOUNDARY}--\r\n"
).encode()


@pytest.fixture
def sent(tmp_path, monkeypatch):
    """Read the form as sent to an address; it may write no temporary file."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def send(address="/", *, is_staff=False):
        request = Request(
            {
                "REQUEST_METHOD": "POST",
                "PATH_INFO": address,
                "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
                "CONTENT_LENGTH": str(len(FORM)),
                "wsgi.input": BytesIO(FORM),
            }
        )
        request.user = SimpleNamespace(is_staff=is_staff)
        assert request.POST["access_code"] == "ABCD2345"
        return request.FILES

    yield send
    assert list(Path(tmp_path).iterdir()) == []


def test_request_keeps_a_file_of_staff_at_the_address_for_it(sent, settings):
    assert sent(settings.UPLOAD_ADDRESSES, is_staff=True)["file"].size == SIZE


def test_request_drops_every_other_file(sent, settings):
    assert sent("/inicio/unirse", is_staff=True) == {}
    assert sent(settings.UPLOAD_ADDRESSES, is_staff=False) == {}


def test_request_drops_a_file_that_is_too_large(sent, settings):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = SIZE

    assert sent(settings.UPLOAD_ADDRESSES, is_staff=True) == {}


@pytest.mark.parametrize("charset", ["latin-1", "utf-16", "base64"])
def test_request_keeps_a_charset_for_the_parser_only(charset):
    content_type = f"application/json; charset={charset}"

    request = Request(
        {"REQUEST_METHOD": "POST", "CONTENT_TYPE": content_type, "wsgi.input": BytesIO()}
    )

    assert (request.headers["Content-Type"], request.encoding) == (content_type, None)
