"""config/web/offline.py: the page without a connection, and its service worker."""

import re

import pytest

WORKER, PAGE = "/service-worker.js", "/sin-conexion"


def test_worker_keeps_one_page_and_its_styles(client):
    page, script = (client.get(path).content.decode() for path in (PAGE, WORKER))

    styles = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
    assert re.findall(r'"(/[^"]+)"', script) == [PAGE, *styles, "/api/"]


def test_page_loads_nothing_but_its_styles(client):
    page = client.get(PAGE).content.decode()

    assert re.findall(r"<(script|img|iframe|form)", page) == []


def test_each_language_has_a_copy_of_its_own(client):
    spanish = client.get(WORKER).content
    client.cookies["language"] = "en"

    assert client.get(WORKER).content != spanish


@pytest.mark.parametrize(
    ("is_on", "done"),
    [(True, "respondWith"), (False, "registration.unregister()")],
    ids=["on", "off"],
)
def test_setting_takes_the_worker_out_of_browsers_that_have_it(client, settings, is_on, done):
    settings.OFFLINE_PAGE = is_on

    script = client.get(WORKER).content.decode()

    assert [said for said in ("respondWith", "registration.unregister()") if said in script] == [
        done
    ]
