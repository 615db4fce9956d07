"""GET /api/openapi.json and /api/docs. Our own additions."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import condition, require_safe

from config.openapi.document import etag_of, get_document
from config.openapi.page import build_page

FRESH = "public, max-age=300"
PAGE_LANGUAGE = "en"


def _document_etag(request: HttpRequest) -> str:
    return get_document().etag


def _page_etag(request: HttpRequest) -> str:
    return etag_of(_page())


@csrf_exempt
@require_safe
@condition(etag_func=_document_etag)
def openapi_json(request: HttpRequest) -> HttpResponse:
    """Send the document: bytes that are made once. No statement of the database."""
    return HttpResponse(
        get_document().body, content_type="application/json", headers={"Cache-Control": FRESH}
    )


@csrf_exempt
@require_safe
@condition(etag_func=_page_etag)
def docs(request: HttpRequest) -> HttpResponse:
    """Show the page: made once, for it is the same for everybody. It works without scripts."""
    return HttpResponse(
        _page(), headers={"Cache-Control": FRESH, "Content-Language": PAGE_LANGUAGE}
    )


@cache
def _page() -> bytes:
    """Render it in English, the language of those who write programs. No request has a say."""
    context = {"page": build_page(get_document().content)}
    with translation.override(PAGE_LANGUAGE):
        return render_to_string("openapi/page.html", context, HttpRequest()).encode()
