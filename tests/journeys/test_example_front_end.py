"""The example of docs/examples does the whole way: behind the service's address, in a browser."""

import re
import uuid
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.journeys.ways import on_a

pytestmark = pytest.mark.browser

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
# Until Retry-After is over, and the news of a payment have come.
PATIENCE = 30_000
# The example asks for it after everything else.
LAST = "**/api/classes?*"


@pytest.fixture
def new_student(new_page):
    """Open the example for a new person, who signs in there."""

    def signed_in(name: str) -> Page:
        page = new_page(watch_console=False)  # 402 is expected, and Chromium calls it an error
        page.route("**/example/*", serve_example)
        page.goto("/example/front-end.html")
        page.get_by_role("button", name="Sign in").click()
        page.get_by_label("Usar otra cuenta").fill(f"{name}-{uuid.uuid4().hex}@example.com")
        page.get_by_label("Usar otra cuenta").press("Enter")
        expect(page).to_have_url(re.compile("/example/front-end.html$"))
        with page.expect_response(LAST):
            page.reload()  # Playwright serves nothing at the end of a redirect
        return page

    return signed_in


def serve_example(route: Route) -> None:
    route.fulfill(path=EXAMPLES / route.request.url.rpartition("/")[2])


def says(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("status")).to_have_text(text, timeout=PATIENCE)


def pay(page: Page) -> None:
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Pay").click()
    opened.value.get_by_role("button", name=re.compile("^Aprobar")).click()
    opened.value.close()


@on_a("desk")
def test_the_whole_way(new_student):
    host = new_student("host")
    line = host.get_by_role("listitem")

    # A group is booked, paid in another tab, and scheduled.
    with host.expect_response(LAST):
        host.get_by_label("Class").select_option(label="Grupal, 60 minutes, up to 3: $ 24000")
    booked = host.get_by_label("Time").locator("option").last.inner_text()
    host.get_by_label("Time").select_option(label=booked)
    host.get_by_role("button", name="Book").click()
    says(host, "Please pay.")
    expect(line).to_contain_text(f"{booked} · pending · 0/3")
    pay(host)
    says(host, "Your class is scheduled.")
    expect(line).to_contain_text(f"{booked} · scheduled · 1/3")
    expect(line).to_contain_text("https://meet")

    # A guest joins.
    code = line.inner_text().split(" · ")[3]
    guest = new_student("guest")
    guest.get_by_label("Access code").fill(code)
    guest.get_by_role("button", name="Join").click()
    says(guest, f"You are in the class of {booked}.")
    expect(guest.get_by_role("listitem")).to_contain_text(f"{booked} · scheduled · 2/3")
    expect(guest.get_by_role("listitem").get_by_role("button")).to_have_count(0)

    # The host moves it, and cancels it.
    host.reload()
    expect(line.locator("option").first).to_be_attached()
    earlier = line.locator("option").nth(-3).inner_text()
    line.get_by_role("combobox").select_option(label=earlier)
    line.get_by_role("button", name="Move").click()
    says(host, "Your class was moved.")
    expect(line).to_contain_text(f"{earlier} · scheduled · 2/3 · {code}")
    line.get_by_role("button", name="Cancel, $ 24000 back").click()
    says(host, "Your class was cancelled.")
    expect(line).to_contain_text("cancelled")


@on_a("desk")
def test_a_refusal_is_shown(new_student):
    guest = new_student("guest")

    guest.get_by_label("Access code").fill("22222222")
    guest.get_by_role("button", name="Join").click()

    says(guest, re.compile("código"))


def test_it_is_short():
    lines = [line for path in EXAMPLES.iterdir() for line in path.read_text().splitlines()]

    assert len(lines) <= 150
    assert max(map(len, lines)) <= 100
