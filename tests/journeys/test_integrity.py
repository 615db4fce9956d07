"""A script that was changed on its way does not run; the page works without it."""

import pytest

from tests.journeys.steps import BOOK
from tests.journeys.ways import on_a

pytestmark = pytest.mark.browser

MARK = "document.documentElement.dataset.changed = 'yes';"


@on_a("desk")
@pytest.mark.parametrize("is_fingerprinted", [True, False], ids=["as served", "control"])
def test_changed_script_does_not_run(new_page, is_fingerprinted):
    page = new_page(watch_console=False)

    def change(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text() + MARK)

    def leave_out_fingerprints(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace(" integrity=", " data-was="))

    page.route("**/choosing.js", change)
    if not is_fingerprinted:
        page.route("**/reservar*", leave_out_fingerprints)
    page.goto(BOOK, wait_until="networkidle")

    changed = page.evaluate("document.documentElement.dataset.changed")
    assert changed == (None if is_fingerprinted else "yes")
