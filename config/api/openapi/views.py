"""GET /api/openapi.json and /api/docs. Our own additions to the specification."""

from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import condition, require_safe

from config.api.openapi.document import get_document

FRESH = "public, max-age=300"


def _document_etag(request: HttpRequest) -> str:
    return get_document().etag


@csrf_exempt  # so that any other method is answered 405
@require_safe
@condition(etag_func=_document_etag)
def openapi_json(request: HttpRequest) -> HttpResponse:
    """Send the document, which each process generates once. It needs no database query."""
    return HttpResponse(
        get_document().body, content_type="application/json", headers={"Cache-Control": FRESH}
    )


@csrf_exempt  # so that any other method is answered 405
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show the document in Swagger UI, whose files come with drf-spectacular-sidecar.

    The page has a content policy of its own, because Swagger UI writes styles into its elements.
    """
    response = render(request, "openapi/docs.html")
    response["Cache-Control"] = FRESH
    response["Content-Security-Policy"] = build_policy(update={"style-src": ["'unsafe-inline'"]})
    return response
