"""Files for everyone: ``/robots.txt``, ``/sitemap.xml``, the teacher's photo and its preview."""

from io import BytesIO
from urllib.parse import urljoin

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from PIL import Image

from bookings.domain.desk.own_page import load_teacher_page
from bookings.domain.sales.open_classes import list_open_classes
from bookings.models import TeacherPage

PUBLIC_PAGES = ("bookings:landing", "bookings:book", "bookings:open_classes", "bookings:privacy")
SIZE = (1200, 630)
BACKGROUND = settings.BASE_DIR / "static" / "img" / "preview.png"
KEPT_SECONDS = 86_400
# The address changes with the photo, so a browser may keep it forever.
CACHE_CONTROL = "public, max-age=31536000, immutable"


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Personal pages say ``noindex`` themselves."""
    lines = [
        "User-agent: *",
        "Disallow: /admin/",
        "Disallow: /api/",
        f"Sitemap: {urljoin(settings.BASE_URL, reverse('bookings:sitemap'))}",
    ]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    paths = [reverse(name) for name in PUBLIC_PAGES]
    paths += [reverse("bookings:open_class", args=[one.pk]) for one in list_open_classes()]
    addresses = [urljoin(settings.BASE_URL, path) for path in paths]
    return render(
        request,
        "bookings/front/sitemap.xml",
        {"addresses": addresses},
        content_type="application/xml",
    )


def share_picture_url(teacher: TeacherPage) -> str:
    return reverse("bookings:share_picture", args=[_digest(teacher)]) if teacher.has_photo else ""


@require_safe
def show_share_picture(request: HttpRequest, digest: str) -> HttpResponse:
    teacher = load_teacher_page()
    if not teacher.has_photo or digest != _digest(teacher):
        raise Http404
    key = f"share-picture-{digest}"
    content = cache.get(key)
    if content is None:
        content = draw_share_picture(teacher)
        cache.set(key, content, KEPT_SECONDS)
    return answer_picture(content)


def draw_share_picture(teacher: TeacherPage) -> bytes:
    """Return a JPEG: the usual preview with her square photo on its right."""
    with Image.open(BACKGROUND) as background, teacher.photo.open() as file:
        picture = background.convert("RGB")
        side = SIZE[1]
        photo = Image.open(file).convert("RGB").resize((side, side), Image.Resampling.LANCZOS)
        picture.paste(photo, (SIZE[0] - side, 0))
    written = BytesIO()
    picture.save(written, "JPEG", quality=82, optimize=True, progressive=True)
    return written.getvalue()


def _digest(teacher: TeacherPage) -> str:
    return str(teacher.photo.name).partition("-")[0]


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
