"""Addresses from outside lead to paths of our own, or to the default."""

import pytest

from accounts.sign_in.redirects import local_path


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/inicio", "/inicio"),
        ("/inicio/perfil?a=1#b", "/inicio/perfil?a=1#b"),
        ("/clases/año", "/clases/año"),
        ("http://testserver", "/"),
        ("http://testserver/inicio?a=1#b", "/inicio?a=1#b"),
    ],
)
def test_local_path_keeps_our_own(address, path):
    assert local_path(address, default="/default") == path


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "inicio",
        "https://evil.example",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "https:evil.example",
        "http:///evil.example",
        "javascript:alert(1)",
        "data:,x",
        "/\r\nSet-Cookie: x=1",
        "/\x00",
        "/\u202e",
        " /inicio",
        "https://testserver@evil.example",
        "http://testserver@evil.example/",
        "http://testserver.evil.example/",
        "http://testserver//evil.example",
        "http://testserver:80:80/",
        "http://[",
        "https://testserver/inicio",
        "/" + "a" * 10_000,
    ],
)
def test_local_path_gives_the_default_for_anything_else(address):
    assert local_path(address, default="/default") == "/default"
