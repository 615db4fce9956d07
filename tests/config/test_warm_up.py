"""config/warm_up.py: what the server does before its workers fork."""

import pytest

from config import warm_up as module
from config.figures import figures
from config.warm_up import warm_up
from config.wsgi import application

pytestmark = pytest.mark.django_db


def test_warm_up_is_answered_as_strangers_are(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert warm_up() == [200, 200, 401]


def test_server_starts_though_a_page_is_broken(monkeypatch, caplog):
    answer = application.get_response

    def answer_all_but_one(request):
        response = answer(request)
        if request.path == "/inicio":
            response.status_code = 500
        return response

    monkeypatch.setattr(application, "get_response", answer_all_but_one)

    assert warm_up() == [500, 200, 401]
    assert "[500, 200, 401]" in caplog.text


def test_server_starts_though_the_warm_up_fails(monkeypatch, caplog):
    monkeypatch.setattr(module, "_request", lambda path: 1 / 0)

    assert warm_up() == []
    assert "ZeroDivisionError" in caplog.text


def test_warm_up_is_no_request_in_log_and_figures(monkeypatch):
    told = []
    monkeypatch.setattr(figures, "add", lambda *figure: told.append(figure))
    monkeypatch.setattr("config.observing.write_line", lambda *line, **parts: told.append(line))

    warm_up()

    assert told == []
