"""Which pages name their style sheets in a header."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from tests.factories import HoldFactory
from tests.pages.moments import NOW, tuesday

pytestmark = pytest.mark.usefixtures("agenda")


@pytest.mark.parametrize("view", ["book", "hold"])
def test_the_header_names_the_style_sheets_of_the_page(view, host, sign_in):
    end = NOW + timedelta(minutes=15)
    hold = HoldFactory(user=host, start_time=tuesday("10:00"), expires_at=end)
    arguments = [hold.pk] if view == "hold" else []

    page = sign_in(host).get(reverse(f"bookings:{view}", args=arguments))

    linked = re.findall(r'rel="stylesheet" href="([^"]+)"', page.content.decode())
    assert linked
    assert page["Link"] == ", ".join(f"<{sheet}>; rel=preload; as=style" for sheet in linked)
