"""GET /api/openapi.json and /api/docs."""

from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.http import condition
from drf_spectacular.utils import OpenApiResponse, extend_schema

from config.api.openapi.document import get_document
from config.lib.api.views import PlainAPIView

FRESH = "public, max-age=300"
TAGS = ["Description"]


def _document_etag(request: HttpRequest) -> str:
    return get_document().etag


class DocumentView(PlainAPIView):
    @extend_schema(
        operation_id="getOpenApi",
        tags=TAGS,
        summary="Get this document",
        description="With an `ETag`; `If-None-Match` spares the body.",
        responses={
            (200, "application/json"): OpenApiResponse(
                {"type": "object"}, description="OpenAPI 3.1."
            ),
            304: OpenApiResponse(description="It is still the same."),
        },
    )
    @method_decorator(condition(etag_func=_document_etag))
    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(
            get_document().body, content_type="application/json", headers={"Cache-Control": FRESH}
        )


class DocsView(PlainAPIView):
    @extend_schema(
        operation_id="showDocs",
        tags=TAGS,
        summary="Read this document in Swagger UI",
        responses={(200, "text/html"): OpenApiResponse({"type": "string"}, description="A page.")},
    )
    def get(self, request: HttpRequest) -> HttpResponse:
        response = render(request, "openapi/docs.html")
        response["Cache-Control"] = FRESH
        # Swagger UI writes styles into its elements.
        policy = build_policy(update={"style-src": ["'unsafe-inline'"]})
        response["Content-Security-Policy"] = policy
        return response
