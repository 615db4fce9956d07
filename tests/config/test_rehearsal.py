"""config/rehearsal.py: what the server does before its workers fork."""

from config import rehearsal
from config.figures import figures
from config.rehearsal import rehearse


def test_rehearsal_is_answered_as_strangers_are(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert rehearse() == [200, 200, 401]


def test_server_starts_though_a_page_is_broken(db, monkeypatch):
    monkeypatch.setattr(rehearsal, "_request", lambda path: 1 / 0)

    assert rehearse() == []


def test_rehearsal_is_no_request_in_log_and_figures(db, caplog, monkeypatch):
    counted = []
    monkeypatch.setattr(figures, "add", lambda *told: counted.append(told))

    rehearse()

    assert not counted
    assert not caplog.records
