"""Pages are light and our own, and the first screen shows the teacher and the way to her times."""

import pytest
from playwright.sync_api import Page, expect

from tests.demo.people import ANA
from tests.journeys.steps import BOOK, sign_in
from tests.journeys.ways import on_a

pytestmark = [pytest.mark.browser, on_a("phone")]


# No page brings other files for another width.

# The second is with the teacher's photo.
LIMIT_BYTES, LIMIT_WITH_PHOTO_BYTES = 54_000, 64_000
PHOTO = "/foto/"


def weigh(page: Page, address: str) -> dict[str, float]:
    """Load a page with an empty cache; return the bytes that came, by address."""
    addresses: dict[str, str] = {}
    received: dict[str, float] = {}
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.clearBrowserCache")
    network.on(
        "Network.requestWillBeSent",
        lambda event: addresses.update({event["requestId"]: event["request"]["url"]}),
    )
    network.on(
        "Network.loadingFinished",
        lambda event: received.update({addresses[event["requestId"]]: event["encodedDataLength"]}),
    )
    page.goto(address, wait_until="networkidle")
    network.detach()
    return received


def assert_light(received: dict[str, float]) -> None:
    photo = sum(size for address, size in received.items() if PHOTO in address)
    everything = sum(received.values())
    assert 1_000 < everything - photo < LIMIT_BYTES
    assert everything < LIMIT_WITH_PHOTO_BYTES


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/horarios/embebido",
        "/clases-abiertas",
        "/privacidad",
        "/inicio",
        BOOK,
        "/inicio/unirse/ABCD2345",
    ],
)
def test_a_page_for_everybody_is_light_and_our_own(new_page, demo, address):
    page, hosts = new_page(), set()
    page.on("request", lambda request: hosts.add("/".join(request.url.split("/")[:3])))

    received = weigh(page, address)

    assert hosts == {demo}
    assert_light(received)


def test_the_front_page_shows_the_photo(new_page):
    assert any(PHOTO in address for address in weigh(new_page(), "/"))


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
        assert_light(weigh(page, address))


# Of everything that moved while the page was loading.
SHIFTS = """() => new Promise(done => new PerformanceObserver(list => done(
    list.getEntries().reduce((sum, one) => sum + one.value, 0)
)).observe({ type: "layout-shift", buffered: true }) || setTimeout(() => done(0), 500))"""


def test_the_first_screen_shows_her_and_the_button(new_page):
    page = new_page()
    page.set_viewport_size({"width": 360, "height": 740})

    page.goto("/", wait_until="networkidle")

    parts = [
        page.get_by_role("heading", level=1),
        page.locator(".introduction-photo img"),
        page.get_by_role("link", name="Ver los horarios libres").first,
    ]
    for part in parts:
        expect(part).to_be_visible()
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 740
    assert page.evaluate(SHIFTS) < 0.01
