"""Each page is wholly in the language that was asked for.

So are mails and entries for calendars. Spanish is what the templates are written in, and
test_unmarked.py finds texts that are not marked for translation, so Spanish needs one state a page
and one mail of a kind.
"""

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from icalendar import Calendar

from bookings.notices.rendering import render_mail
from tests.i18n import pages, paid_pages  # noqa: F401 - they add their states
from tests.i18n.mails import MAILS
from tests.i18n.reading import Text, untranslated
from tests.i18n.world import STATES

# They lead to other pages, or give a file: calendar entries are read below.
NO_PAGES = {
    "account_login",
    "bookings:announce_by_link",
    "bookings:calendar_file",
    "bookings:claim_class",
    "bookings:claim_written_down",
    "bookings:class_link_file",
    "bookings:no_class_link",
    "bookings:healthz",
    "bookings:keep_chosen",
    "bookings:keep_place",
    "manifest",
    "bookings:leave_line",
    "bookings:release",
    "bookings:release_place",
    "bookings:my_data",
    "bookings:metrics",
    "bookings:pay_class_link",
    "bookings:photo",
    "bookings:readyz",
    "bookings:robots",
    "bookings:share_picture",
    "bookings:sitemap",
    "bookings:wait_again",
    "bookings:wait_for_open_class",
    "disconnect_identity",
    "panel",
    "send_mail_code",
    "service_worker",
    "sign_out_everywhere",
    "sign_out_elsewhere",
    "sign_out_there",
}


ONE_OF_EACH_PAGE = {state.view: name for name, state in reversed(STATES.items())}.values()
ONE_OF_EACH_KIND = {mail.kind: name for name, mail in reversed(MAILS.items())}.values()


@pytest.mark.parametrize(
    ("language", "name"),
    [*(("en", name) for name in STATES), *(("es-ar", name) for name in ONE_OF_EACH_PAGE)],
    indirect=["language"],
)
def test_a_page_is_in_one_language(world, name):
    state = STATES[name]
    response = state.show(world)

    page = response.content.decode()
    assert response.status_code == state.status
    assert not state.view or response.resolver_match.view_name == state.view
    assert response["Content-Language"] == world.language
    assert untranslated(page) == []


def test_every_page_is_read():
    read = {state.view for state in STATES.values()}

    assert page_names(get_resolver()) - read == NO_PAGES


@pytest.mark.parametrize("is_host", [True, False], ids=["host", "guest"])
def test_a_calendar_file_is_in_one_language(world, is_host):
    virtual_class = world.share()
    user = world.host if is_host else world.guest

    response = world.get("bookings:calendar_file", virtual_class.pk, user=user)

    assert untranslated_entry(response.content, world.language) == []


@pytest.mark.parametrize(
    ("language", "name"),
    [*(("en", name) for name in MAILS), *(("es-ar", name) for name in ONE_OF_EACH_KIND)],
    indirect=["language"],
)
def test_a_mail_is_in_one_language(world, name):
    mail = render_mail(MAILS[name].show(world))

    # Some mails bring no class for the calendar.
    html, *entries = (part.content for part in mail.alternatives)
    said = [Text(world.language[:2], text) for text in (mail.subject, mail.body)]
    assert [piece.text for piece in said if piece.is_foreign] == []
    assert untranslated(html) == []
    assert [untranslated_entry(entry, world.language) for entry in entries] == [[]] * len(entries)


def page_names(resolver: URLResolver, prefix: str = "", namespace: str = "") -> set[str]:
    """Name the views outside API and panel."""
    names: set[str] = set()
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern)
        if path.startswith(("api/", "admin/")):
            continue
        if isinstance(entry, URLPattern):
            names.add(f"{namespace}{entry.name}")
        else:
            inner = f"{entry.namespace}:" if entry.namespace else namespace
            names |= page_names(entry, path, inner)
    return names


def untranslated_entry(entry: str | bytes, language: str) -> list[str]:
    """List what an entry for a calendar says in the other language."""
    [event] = Calendar.from_ical(entry).events
    said = [Text(language[:2], str(event[name])) for name in ("SUMMARY", "DESCRIPTION")]
    return [piece.text for piece in said if piece.is_foreign]
