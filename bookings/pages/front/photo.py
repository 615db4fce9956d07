"""``/foto``: the teacher's photo."""

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

# The address changes with the photo, so a browser may keep it forever.
CACHE_CONTROL = "public, max-age=31536000, immutable"


@require_safe
def show_photo(request: HttpRequest, name: str) -> HttpResponse:
    try:
        content = default_storage.open(name).read()
    except FileNotFoundError as error:
        raise Http404 from error
    return answer_picture(content)


def answer_picture(content: bytes) -> HttpResponse:
    response = HttpResponse(content, content_type="image/jpeg")
    response.headers["Cache-Control"] = CACHE_CONTROL
    return response
