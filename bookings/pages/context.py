"""Variables of every template."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bookings.domain.desk.own_page import load_seller, load_teacher_page


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "site_name": _(settings.SITE_NAME),
        "seller": SimpleLazyObject(load_seller),
        "base_url": settings.BASE_URL,
        "is_demo": settings.DEMO,
        # Read only if a template prints it.
        "teacher": SimpleLazyObject(lambda: load_teacher_page().in_language(get_language())),
    }
