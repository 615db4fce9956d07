"""``/horarios/embebido``: in a frame of another site."""

import re
from html import unescape

import pytest
from django.conf import settings
from django.template.loader import render_to_string

from bookings.models import Price
from tests.factories import VirtualClassFactory
from tests.pages.moments import tuesday
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("agenda")

PAGE = "/horarios/embebido"
LINK = re.compile(r'<a href="([^"]+#horarios)"\s+target="_top"')


def test_each_time_leads_to_booking_it_in_the_whole_window(client):
    html = client.get(f"{PAGE}?tipo=individual&min=60").content.decode()

    addresses = LINK.findall(html)
    first = (
        "/inicio/reservar?tipo=individual&amp;min=60&amp;dia=2026-11-24&amp;hora=09%3A00#horarios"
    )
    assert addresses[0] == first
    assert html.count('target="_top"') == len(addresses) + 1
    chosen = client.get(first.replace("&amp;", "&")).context["choice"]
    assert chosen.start == tuesday("09:00")


def test_the_type_of_class_is_switched_by_a_link_within_the_frame(client):
    def find_switch(address: str) -> list[tuple[str, str]]:
        html = client.get(address).content.decode()
        found = re.findall(r'<a href="(\?tipo=[^"]+)"\s+(aria-current)?', html)
        return [(unescape(address), current) for address, current in found]

    alone, group = "?tipo=individual&min=60&idioma=en", "?tipo=grupal&min=60&idioma=en"

    assert find_switch(f"{PAGE}{group}") == [(alone, ""), (group, "aria-current")]
    assert find_switch(f"{PAGE}{alone}") == [(alone, "aria-current"), (group, "")]


def test_one_type_of_class_needs_no_switch(client):
    Price.objects.filter(class_type="grupal").delete()

    assert 'class="kinds"' not in client.get(PAGE).content.decode()


def test_only_this_page_may_be_framed(client):
    framed, other = client.get(PAGE), client.get("/")

    assert "X-Frame-Options" not in framed
    assert "frame-ancestors *" in framed["Content-Security-Policy"]
    assert "script-src 'none'" in framed["Content-Security-Policy"]
    assert framed["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert other["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in other["Content-Security-Policy"]


def test_it_neither_sets_nor_reads_a_cookie(client, host, sign_in, django_assert_num_queries):
    stranger = client.get(PAGE)
    person = sign_in(host)
    person.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"
    person.cookies[settings.CSRF_COOKIE_NAME] = "x" * 32
    person.cookies[settings.MESSAGE_COOKIE_NAME] = "x"

    with django_assert_num_queries(1):  # the price list: no session, no person
        known = person.get(PAGE)

    assert known.content == stranger.content
    assert not known.cookies
    assert "Cookie" not in known.get("Vary", "")
    assert known["Cache-Control"] == "public, max-age=60"


@pytest.mark.parametrize("token", ["x", "x" * 31, "-" * 32])
@pytest.mark.parametrize("address", [PAGE, "/service-worker.js"])
def test_a_malformed_cookie_is_neither_replaced_nor_deleted(client, address, token):
    """Django's answer would carry a new one or its end, and caches would give it to everybody."""
    client.cookies[settings.CSRF_COOKIE_NAME] = token
    client.cookies[settings.SESSION_COOKIE_NAME] = token

    assert not client.get(address).cookies


def test_it_is_kept_for_a_minute(client, host):
    before = client.get(PAGE).content
    VirtualClassFactory(booked_by=host, scheduled=True, start_time=tuesday("09:00"))

    assert client.get(PAGE).content == before


def test_a_failing_calendar_is_told_and_not_kept(client, google):
    google.fault("events.list", *[Fault.status(503)] * 3)

    assert "no podemos leer los horarios" in client.get(PAGE).content.decode()
    assert LINK.search(client.get(PAGE).content.decode())


def test_without_prices_there_is_nothing_to_book(client):
    Price.objects.all().delete()

    html = client.get(PAGE).content.decode()

    assert "Todavía no hay clases para reservar" in html
    assert "<a " not in html


def test_the_teacher_copies_a_frame_of_this_page(client, settings):
    html = render_to_string("admin/_embed.html")

    code = unescape(re.search(r"<textarea[^>]*>(.*?)</textarea>", html, re.S)[1])
    assert code.startswith(f'<iframe src="{settings.BASE_URL}{PAGE}" ')
    assert code.endswith("></iframe>")
