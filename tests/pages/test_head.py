"""HEAD, which link checkers and monitors send, is answered as GET is, without a body."""

import pytest


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/privacidad",
        "/horarios/embebido",
        "/robots.txt",
        "/sitemap.xml",
        "/inicio",
        "/inicio/clases",
        "/inicio/unirse",
        "/admin/",
        "/admin",
        "/nothing",
        "/idioma",
    ],
)
def test_head_is_answered_as_get_is(client, db, path):
    asked, looked = client.get(path), client.head(path)

    assert looked.status_code == asked.status_code
    assert looked.headers.get("Content-Type") == asked.headers.get("Content-Type")
    assert looked.content == b""


def test_panel_is_found_without_the_slash(client):
    response = client.get("/admin?q=x")

    assert (response.status_code, response["Location"]) == (302, "/admin/")
