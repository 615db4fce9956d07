"""Pages are light, ask no other host for anything, and keep to the content policy."""

import pytest
from playwright.sync_api import Page

from tests.demo.people import ANA
from tests.journeys.steps import BOOK, sign_in
from tests.journeys.ways import on_a

# No page brings other files for another width.
pytestmark = [pytest.mark.browser, on_a("phone")]

LIMIT_BYTES = 100_000


def weigh(page: Page, address: str) -> int:
    """Load a page with an empty cache; count every byte that came for it."""
    received: list[float] = []
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.clearBrowserCache")
    network.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    page.goto(address, wait_until="networkidle")
    network.detach()
    return int(sum(received))


@pytest.mark.parametrize(
    "address", ["/", "/privacidad", "/inicio", BOOK, "/inicio/unirse/ABCD2345"]
)
def test_a_page_for_everybody_is_light_and_our_own(new_page, demo, address):
    page, hosts = new_page(), set()
    page.on("request", lambda request: hosts.add("/".join(request.url.split("/")[:3])))

    weight = weigh(page, address)

    assert hosts == {demo}
    assert 1_000 < weight < LIMIT_BYTES


def test_pages_of_a_student_are_light(new_page):
    page = new_page()
    sign_in(page, ANA)
    page.goto("/inicio/clases")
    one_class = page.locator(".class-card a").first.get_attribute("href")

    for address in (
        "/inicio",
        "/inicio/clases",
        one_class,
        BOOK,
        "/inicio/unirse",
        "/inicio/perfil",
    ):
        assert 1_000 < weigh(page, address) < LIMIT_BYTES
