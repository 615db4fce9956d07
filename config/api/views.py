"""GET /api/openapi.json and /api/docs."""

from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition
from drf_spectacular.types import OpenApiTypes

from config.api.openapi import get_document
from config.lib.api import PlainAPIView, operation

FRESH = "public, max-age=300"


def _document_etag(request: HttpRequest) -> str:
    return get_document().etag


class DocumentView(PlainAPIView):
    @operation("getOpenApi", responses={200: OpenApiTypes.OBJECT, 304: None})
    @method_decorator(condition(etag_func=_document_etag))
    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(
            get_document().body, content_type="application/json", headers={"Cache-Control": FRESH}
        )


class DocsView(PlainAPIView):
    @operation("showDocs", responses={(200, "text/html"): str})
    def get(self, request: HttpRequest) -> HttpResponse:
        response = render(request, "openapi/docs.html")
        response["Cache-Control"] = FRESH
        # Swagger UI writes styles into its elements.
        policy = build_policy(update={"style-src": ["'unsafe-inline'"]})
        response["Content-Security-Policy"] = policy
        return response
