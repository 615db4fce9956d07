"""A guest waits for a place in a full group, and takes it once the teacher makes room."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.demo.people import TEACHER
from tests.journeys.axe import violations
from tests.journeys.booking import book_and_pay
from tests.journeys.steps import sign_in, sign_in_as_newcomer, sign_in_over_http
from tests.journeys.ways import on_a

pytestmark = pytest.mark.browser


@pytest.fixture
def full_group(new_page, browser, demo, width, request):
    """The id and the access code of a group whose places are taken, by people of its own."""
    who = f"{width}-{request.node.originalname.replace('_', '-')}@example.com"
    host = new_page()
    code = book_and_pay(host, f"grupo-{who}", days=16)
    for number in (1, 2):
        with browser.new_context(base_url=demo) as guest:
            sign_in_over_http(guest.request, "google", f"parte-{number}-{who}")
            joined = guest.request.post(
                "/api/access-code",
                data=json.dumps(code),
                headers={"Content-Type": "application/json"},
            )
            assert joined.ok, joined.text()
    return host.url.rpartition("/")[2], code


def make_room(page, class_id):
    """Let one more person into the class."""
    sign_in(page, TEACHER)
    page.goto(f"/admin/clase/{class_id}/")
    page.locator(".sheet-more summary").click()
    page.get_by_role("link", name="Cambiar los lugares").click()
    capacity = page.get_by_label("Para cuántas personas")
    capacity.fill(str(int(capacity.input_value()) + 1))
    page.get_by_role("button", name="Ver qué va a pasar").click()
    page.get_by_role("button", name="Sí, cambiar los lugares").click()
    expect(page.get_by_text(re.compile("Ahora hay"))).to_be_visible()


def violations_in_both(page):
    """List what axe finds on a page in Spanish, and in English."""
    found = violations(page)
    for language in ("English", "Español"):
        page.get_by_role("button", name=language).click()
        expect(page.get_by_role("button", name=language)).to_have_count(0)
        found += violations(page) if language == "English" else []
    return found


@on_a("phone")
def test_a_guest_waits_for_a_place_and_takes_it(new_page, full_group, width):
    class_id, code = full_group
    page = new_page(watch_console=False)  # axe tries styles that the content policy forbids
    sign_in_as_newcomer(page, f"espera-{width}@example.com")
    found = []

    page.goto("/inicio/unirse")
    page.get_by_label("Código de acceso").fill(code)
    page.get_by_role("button", name="Ver la clase").click()
    expect(page.get_by_role("alert").first).to_be_focused()
    found += violations(page)
    page.get_by_role("button", name="Avisame si se libera un lugar").click()
    expect(page.get_by_text("El próximo lugar que se libere es para vos.")).to_be_visible()
    found += violations_in_both(page)
    make_room(new_page(), class_id)
    page.goto("/inicio")
    found += violations_in_both(page)
    page.get_by_role("link", name="Ver el lugar").click()
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^\d+:\d\d:\d\d$"))
    found += violations_in_both(page)
    page.get_by_role("button", name="Tomar el lugar").click()

    expect(page.get_by_text("¡Listo! Ya estás en la clase.")).to_be_visible()
    assert found == []
