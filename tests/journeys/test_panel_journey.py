"""The teacher marks a class as paid whose student never paid at the provider."""

import re
import uuid

import pytest
from playwright.sync_api import expect

from bookings.management.demo_people import TEACHER
from tests.journeys.booking import go_to_checkout, weekday_ahead
from tests.journeys.steps import sign_in, sign_in_as_newcomer
from tests.journeys.ways import on_a

pytestmark = pytest.mark.browser


@on_a("desk")
def test_the_teacher_confirms_a_payment_in_the_panel(new_page):
    email = f"{uuid.uuid4().hex}@example.com"
    student, page = new_page(), new_page()
    sign_in_as_newcomer(student, email)
    go_to_checkout(student, weekday_ahead(13))
    sign_in(page, TEACHER)
    page.goto(f"/admin/bookings/virtualclass/?status__exact=pending&q={email}")
    page.locator("#result_list tbody th a").first.click()

    page.get_by_role("button", name=re.compile("pagada")).click()

    expect(page.get_by_text(re.compile("pagada y agendada")).first).to_be_visible()
