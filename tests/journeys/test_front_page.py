"""The first screen of a small phone shows who the teacher is, and the way to her free times."""

import pytest
from playwright.sync_api import expect

from tests.journeys.ways import on_a

pytestmark = [pytest.mark.browser, on_a("phone")]

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
