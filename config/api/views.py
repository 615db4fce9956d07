"""GET /api/openapi.json and /api/docs."""

from csp.utils import build_policy
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.views import APIView

from config.api.openapi import get_document
from config.lib.api import operation

FRESH = "public, max-age=300"


def _document_etag(request: Request) -> str:
    return get_document().etag


class PublicView(APIView):
    authentication_classes = []
    permission_classes = []


class DocumentView(PublicView):
    @operation("getOpenApi", responses={200: OpenApiTypes.OBJECT, 304: None})
    @method_decorator(condition(etag_func=_document_etag))
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(
            get_document().body, content_type="application/json", headers={"Cache-Control": FRESH}
        )


class DocsView(PublicView):
    @operation("showDocs", responses={(200, "text/html"): str})
    def get(self, request: Request) -> HttpResponse:
        response = render(request._request, "openapi/docs.html")
        response["Cache-Control"] = FRESH
        # Swagger UI writes styles into its elements.
        policy = build_policy(update={"style-src": ["'unsafe-inline'"]})
        response["Content-Security-Policy"] = policy
        return response
