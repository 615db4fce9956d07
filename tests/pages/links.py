"""The page of a class's link, as its bearer reads it."""

import re

from bookings.models import ClassLink
from tests.sales.written_down import ADDRESS, PHONE


def path_of(virtual_class, step=""):
    return f"/clase/{ClassLink.objects.get(pk=virtual_class.pk).token}{step}"


def text_of(response):
    body = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(body.split()).replace("\xa0", " ")


def check_that_it_names_nobody(response, *, besides=""):
    """Nothing of the first owner, and no way into the class. besides: a way in that is wanted."""
    page = response.content.decode()
    secrets = ["Lucía", "Lagos", ADDRESS, "lucia", PHONE, "5550199", "555-0199", "meet.google.com"]
    assert [one for one in secrets if one in page and one != besides] == []
    assert not re.search(r"sin-cuenta|\.invalid", page)
