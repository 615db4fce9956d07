"""The teacher marks a class as paid, in a demo where nobody else takes its time."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import running_demo
from tests.journeys.steps import sign_in

pytestmark = pytest.mark.browser


@pytest.fixture
def demo(tmp_path):
    """A demo of this test's own, in the place of the one the journeys share."""
    with running_demo(tmp_path) as address:
        yield address


def test_the_teacher_confirms_a_payment_in_the_panel(new_page):
    page = new_page()
    sign_in(page, "Google", "Paula")
    page.goto("/admin/bookings/virtualclass/?status__exact=pending")
    page.locator("#result_list tbody th a").first.click()

    page.get_by_role("button", name=re.compile("pagada")).click()

    expect(page.get_by_text(re.compile("pagada y agendada")).first).to_be_visible()
