"""What a run keeps, and what is made of it."""

import json

import pytest

from tests.bench.budgets import goal_of, read_budgets
from tests.bench.databases import ENGINES
from tests.bench.quiet import best_floor_of_host
from tests.bench.report import BEGIN, END, latest_parts, write_tables
from tests.bench.results import Measure, Part, read_part


def test_a_part_survives_json():
    part = Part("http", "sqlite", [Measure("booking", "CPU in F", [1.0, 2.0], 1.5)], ["a note"])

    assert read_part(json.loads(json.dumps(part.to_json()))) == part


@pytest.mark.parametrize(
    ("rounds", "is_noisy", "verdict"),
    [
        ([2.0, 2.1, 2.2], False, "misses"),
        ([2.0, 2.1, 2.2], True, "noisy, no verdict"),
        ([1.0, 1.4, 2.2], False, "holds"),
    ],
)
def test_verdict_of_a_measure(rounds, is_noisy, verdict):
    measure = Measure("booking", "CPU in F", rounds, 1.5, is_noisy=is_noisy)

    assert measure.verdict == verdict
    assert measure.is_missed == (verdict == "misses")


def test_a_measure_without_a_goal_has_no_verdict():
    assert Measure("booking", "CPU in F", [1.0]).verdict == ""


def test_every_budget_names_engines_there_are():
    for table in read_budgets().values():
        for goal in table.values():
            assert not isinstance(goal, dict) or set(goal) <= set(ENGINES)


def test_goal_of_an_operation():
    assert goal_of("inproc", "session", "sqlite") == 3.8
    assert goal_of("inproc", "nothing", "sqlite") is None


def test_the_best_floor_is_remembered(tmp_path):
    file = tmp_path / "floors.json"

    assert [best_floor_of_host("inproc", seconds, file) for seconds in (2.0, 3.0, 1.0)] == [
        2.0,
        2.0,
        1.0,
    ]


def test_tables_replace_only_what_stands_between_the_marks(tmp_path):
    document = tmp_path / "performance.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")

    write_tables([_run()], document)

    text = document.read_text()
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "| booking | CPU in F | <= 1.50 | 2.00 [1.50..2.50] | open | 3 |" in text
    assert "old" not in text


def test_a_later_run_replaces_the_same_part():
    earlier, later = _run(), _run()
    later["parts"][0]["notes"] = ["later"]

    assert [part.notes for part in latest_parts([earlier, later])] == [["later"]]


def test_tables_need_their_marks(tmp_path):
    document = tmp_path / "performance.md"
    document.write_text("nothing here\n")

    with pytest.raises(ValueError, match="no place"):
        write_tables([_run()], document)


def _run():
    measure = Measure("booking", "CPU in F", [1.0, 2.0, 3.0], 1.5, beside={"statements": 3})
    names = ("cores", "processor", "Django", "djangorestframework", "gunicorn", "psycopg", "python")
    return {
        "began": "2026-11-20T18:00:00",
        "is_quick": False,
        "load_tool": "wrk",
        "machine": {**dict.fromkeys(names, "x"), "wrk": "", "load": [0.1, 0.2, 0.3]},
        "load_after": [0.4, 0.5, 0.6],
        "parts": [Part("http", "sqlite", [measure]).to_json()],
    }
