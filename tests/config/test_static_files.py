"""config/web/static_files.py, and the order of what compresses."""

import pytest
from django.core.files.base import ContentFile

from config.web.static_files import CommentlessStorage
from tests.config.environments import production


def test_style_sheet_keeps_its_licence_and_loses_its_comments(tmp_path):
    storage = CommentlessStorage(location=tmp_path, base_url="/static/")
    sheet = b"/*! MIT */\n/* Why:\n * so. */\na { color: red; }\n/* The end. */\n"

    name = storage.save("some.css", ContentFile(sheet))
    list(storage.post_process({name: (storage, name)}))

    (sent,) = tmp_path.glob("some.*.css")
    assert sent.read_bytes() == b"/*! MIT */\n\na { color: red; }\n\n"


@pytest.mark.django_db
def test_production_compresses_pages(client, settings):
    settings.MIDDLEWARE = production().MIDDLEWARE

    response = client.get("/", headers={"Accept-Encoding": "gzip"})

    assert response.headers["Content-Encoding"] == "gzip"
