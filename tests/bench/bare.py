"""The least Django can do: one JSON view behind no middleware, the floor of every comparison."""

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

settings.configure(
    SECRET_KEY="bench", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, MIDDLEWARE=[]
)


@csrf_exempt
def answer(request: HttpRequest) -> JsonResponse:
    """Read the body and answer an empty object, as the webhook does."""
    return JsonResponse({"read": len(request.body)})


urlpatterns = [path("<path:anything>", lambda request, anything: answer(request))]
application = get_wsgi_application()
