"""Variables of every template."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "site_name": _(settings.SITE_NAME),
        "seller": settings.SELLER,
        "base_url": settings.BASE_URL,
        "is_demo": settings.DEMO,
    }
