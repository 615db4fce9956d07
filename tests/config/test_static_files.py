"""config/web/static_files.py, and the order of what compresses."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from config.web.static_files import MinifiedStorage
from tests.config.environments import production


def collect(tmp_path, files):
    """Write files as collectstatic does; return the hashed name and the content of each."""
    storage = MinifiedStorage(location=tmp_path, base_url="/static/")
    names = [storage.save(name, ContentFile(content)) for name, content in files.items()]
    list(storage.post_process({name: (storage, name) for name in names}))
    sent = [storage.hashed_files[name] for name in names]
    return [(name, (tmp_path / name).read_text()) for name in sent]


def test_style_sheet_is_minified_and_keeps_its_licence(tmp_path):
    sheet = b"/*! MIT */\n/* Why:\n * so. */\na { color: red; }\n/* The end. */\n"

    [(_, sent)] = collect(tmp_path, {"some.css": sheet})

    assert sent == "/*! MIT */a{color:red}"


def test_script_imports_the_hashed_file(tmp_path):
    scripts = {"js/whole.js": b'import "./part.js";', "js/part.js": b"let part;"}

    [(_, sent), (part, _)] = collect(tmp_path, scripts)

    assert sent == f'import "./{Path(part).name}";'


@pytest.mark.django_db
def test_production_compresses_pages(client, settings):
    settings.MIDDLEWARE = production().MIDDLEWARE

    response = client.get("/", headers={"Accept-Encoding": "gzip"})

    assert response.headers["Content-Encoding"] == "gzip"
