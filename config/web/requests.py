"""The WSGI request, made safe for Django before any view runs."""

import re
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import MemoryFileUploadHandler, SkipFile
from django.core.handlers.wsgi import WSGIRequest
from django.utils.http import parse_header_parameters

UNREADABLE_TYPE = "application/octet-stream"


class Request(WSGIRequest):
    def __init__(self, environ: dict[str, Any]) -> None:
        _measure_chunks(environ)
        stated = _drop_charset(environ)
        super().__init__(environ)
        environ["CONTENT_TYPE"] = stated  # the API's parser refuses charsets by it
        # Django's limit of the body does not count files.
        self.upload_handlers = [FewUploads(self)]


class FewUploads(MemoryFileUploadHandler):
    """Keep a file in memory at RECEIPT_ADDRESSES, and one of staff at UPLOAD_ADDRESSES.

    A body over FILE_UPLOAD_MAX_MEMORY_SIZE activates no MemoryFileUploadHandler.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        request: Any = self.request
        takes_files = re.fullmatch(settings.RECEIPT_ADDRESSES, request.path_info) or (
            request.path_info.startswith(settings.UPLOAD_ADDRESSES) and request.user.is_staff
        )
        if not (self.activated and takes_files):
            raise SkipFile
        super().new_file(*args, **kwargs)


def _drop_charset(environ: dict[str, Any]) -> str:
    """Remove the charset: ``base64`` fails before error handlers. Return the stated type."""
    stated: str = environ.get("CONTENT_TYPE", "")
    try:
        kind, parameters = parse_header_parameters(stated)
    except ValueError:
        stated, kind, parameters = UNREADABLE_TYPE, UNREADABLE_TYPE, {}
    parameters.pop("charset", None)
    others = [f'{name}="{value}"' for name, value in parameters.items()]
    environ["CONTENT_TYPE"] = "; ".join([kind, *others])
    return stated


def _measure_chunks(environ: dict[str, Any]) -> None:
    """Read a chunked body, up to one byte above the limit, and set its length.

    Node's fetch and curl send streams in chunks, which Django takes for an empty body.
    """
    is_chunked = environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked"
    if is_chunked and environ.get("wsgi.input_terminated"):
        body = environ["wsgi.input"].read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        environ["wsgi.input"] = BytesIO(body)
        environ["CONTENT_LENGTH"] = str(len(body))
