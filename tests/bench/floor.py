"""The floor of every comparison: one JSON view behind no middleware, the least Django can do."""

from django.http import HttpRequest, JsonResponse
from django.urls import re_path
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
def answer(request: HttpRequest) -> JsonResponse:
    """Read the body and answer with a tiny object."""
    return JsonResponse({"read": len(request.body)})


urlpatterns = [re_path("", answer)]
