"""config/web/middleware.py: 127.0.0.1 and localhost lead to the same service."""

import pytest
from django.conf import settings as django_settings
from django.test import Client

from tests.config.environments import development, production

MIDDLEWARE = "config.web.middleware.LocalNameMiddleware"


@pytest.fixture
def site(settings):
    settings.BASE_URL = "http://localhost:8000"
    settings.ALLOWED_HOSTS = development(BASE_URL="http://localhost:8000").ALLOWED_HOSTS
    settings.MIDDLEWARE = [MIDDLEWARE, *django_settings.MIDDLEWARE]
    return Client()


@pytest.mark.parametrize("own", ["localhost", "127.0.0.1", "[::1]"])
def test_every_local_name_is_allowed(own):
    names = development(BASE_URL=f"http://{own}:8000").ALLOWED_HOSTS

    assert names == ["localhost", "127.0.0.1", "[::1]"]


def test_other_sites_have_one_name():
    assert development(BASE_URL="http://testserver").ALLOWED_HOSTS == ["testserver"]
    assert production(BASE_URL="http://localhost:8000").ALLOWED_HOSTS == ["localhost"]


@pytest.mark.parametrize("name", ["127.0.0.1:8000", "[::1]:8000"])
def test_page_under_another_local_name_leads_to_the_site(site, name):
    response = site.get("/inicio?a=%C3%B1", headers={"host": name})

    assert response.status_code == 302
    assert response["Location"] == "http://localhost:8000/inicio?a=%C3%B1"


@pytest.mark.parametrize("path", ["/api/auth/session", "/api/openapi.json"])
@pytest.mark.parametrize("name", ["127.0.0.1:8000", "localhost:8000"])
def test_api_answers_under_every_local_name(db, site, path, name):
    assert site.get(path, headers={"host": name}).status_code == 200


def test_foreign_name_is_refused(site):
    assert site.get("/api/auth/session", headers={"host": "evil.example"}).status_code == 400
