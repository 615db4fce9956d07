"""The whole product, as ``make run`` serves it, and a real browser."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.journeys.chromium import BROWSER_FLAGS, HEADLESS_SHELL, find_chromium
from tests.journeys.ways import DESK, PHONE
from tests.running_demo import running_demo


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's own folder, its database in it."""
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="session")
def demo(demo_data: Path) -> Iterator[str]:
    """The address of a running demo, which the journeys share."""
    with running_demo(demo_data) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; the tests that need one are skipped where there is none."""
    path = find_chromium(HEADLESS_SHELL)
    if path is None:
        pytest.skip("no Chromium on this machine")
    # Playwright's event loop runs in this thread; Django would take our code for asynchronous.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=BROWSER_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(params=[PHONE, DESK], ids=["phone", "desk"])
def width(request: pytest.FixtureRequest) -> int:
    """A phone's and a desk's screen, in CSS pixels."""
    return request.param


@pytest.fixture
def new_page(browser: Browser, demo: str, width: int):
    """Open a page for another person: cookies of its own. Console errors fail the test."""
    pages: list[Page] = []
    errors: list[str] = []

    def open_page(*, javascript: bool = True, watch_console: bool = True, **options: str) -> Page:
        """options: what the browser says of itself, and whether it lets service workers in."""
        context = browser.new_context(
            base_url=demo,
            viewport={"width": width, "height": 844},
            java_script_enabled=javascript,
            locale="es-AR",
            **{
                "timezone_id": "America/Argentina/Buenos_Aires",
                # Pages would not see what passes through one; a journey of its own has it.
                "service_workers": "block",
                **options,
            },
        )
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        if watch_console:
            page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert errors == []
