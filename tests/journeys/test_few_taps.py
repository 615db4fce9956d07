"""How often a student touches the screen."""

import pytest
from playwright.sync_api import Locator, expect

from tests.journeys.ways import on_a

pytestmark = [pytest.mark.browser, on_a("phone")]


class Thumb:
    """Touches the screen and counts."""

    def __init__(self) -> None:
        self.taps = 0

    def tap(self, target: Locator) -> None:
        self.taps += 1
        target.click()


def test_from_the_front_page_to_a_paid_class_in_eight_taps(new_page):
    page, thumb = new_page(), Thumb()
    page.goto("/")

    thumb.tap(page.get_by_role("link", name="Ver los horarios").first)
    thumb.tap(page.locator("a.day-free").nth(4))
    expect(page.locator("#horarios")).to_be_focused()
    thumb.tap(page.locator(".slot").first)
    thumb.tap(page.get_by_role("button", name="Continuar"))
    thumb.tap(page.get_by_role("button", name="Google"))
    thumb.tap(page.get_by_role("button", name="Bruno"))
    thumb.tap(page.get_by_role("button", name="Pagar con Mercado Pago"))
    thumb.tap(page.get_by_role("button", name="Aprobar"))

    expect(page.get_by_text("¡Listo! Tu clase está pagada y confirmada")).to_be_visible(
        timeout=30_000
    )
    assert thumb.taps == 8
