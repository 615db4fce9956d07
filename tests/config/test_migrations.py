"""tests/check_migrations.py: what old code would not survive is found, and nothing else."""

import pytest
from django.db import models
from django.db.migrations import AlterField, CreateModel, RemoveField, SeparateDatabaseAndState
from django.db.migrations.state import ProjectState

from tests.check_migrations import EXCUSED, find_faults, find_kept_columns, judge

OLD = 'ALTER TABLE "bookings_notice" '
NEW = 'CREATE TABLE "bookings_new" ("id" bigint NOT NULL PRIMARY KEY);'


@pytest.mark.parametrize(
    ("statements", "fault"),
    [
        ([OLD + 'ADD COLUMN "x" varchar(9) NOT NULL;'], "NOT_NULL"),
        (
            [
                OLD + "ADD COLUMN \"x\" varchar(9) DEFAULT '' NOT NULL;",
                OLD + 'ALTER COLUMN "x" DROP DEFAULT;',
            ],
            "NOT_NULL",
        ),
        ([OLD + 'DROP COLUMN "x" CASCADE;'], "DROP_COLUMN"),
        ([OLD + 'RENAME COLUMN "x" TO "y";'], "RENAME_COLUMN"),
        ([OLD + 'RENAME TO "y";'], "RENAME_TABLE"),
        ([OLD + 'ALTER COLUMN "x" TYPE integer;'], "ALTER_COLUMN"),
        ([OLD + 'ADD CONSTRAINT "u" UNIQUE ("x");'], "ADD_UNIQUE"),
        (['DROP TABLE "bookings_notice" CASCADE;'], "DROP_TABLE"),
        (['CREATE INDEX "i" ON "bookings_notice" ("x") WHERE "x" > 0;'], "CREATE_INDEX"),
        (['DROP INDEX IF EXISTS "i";'], "DROP_INDEX"),
        ([OLD + 'ADD CONSTRAINT "c" CHECK ("x" > 0);'], "ADD_CHECK"),
    ],
    ids=str,
)
def test_fault_is_found(statements, fault):
    assert find_faults(["BEGIN;", *statements, "COMMIT;"]) == {fault}


@pytest.mark.parametrize(
    "statements",
    [
        ["BEGIN;", NEW, 'CREATE INDEX "i" ON "bookings_new" ("id") WHERE "id" > 0;', "COMMIT;"],
        ['CREATE INDEX CONCURRENTLY "i" ON "bookings_notice" ("x");'],
        ['DROP INDEX CONCURRENTLY IF EXISTS "i";'],
        ["BEGIN;", OLD + 'ADD CONSTRAINT "c" CHECK ("x" > 0) NOT VALID;', "COMMIT;"],
        ["BEGIN;", NEW, 'ALTER TABLE "bookings_new" ADD CONSTRAINT "c" CHECK ("id" > 0);'],
        ["BEGIN;", OLD + 'ADD COLUMN "x" varchar(9) NULL;', "COMMIT;"],
        ["BEGIN;", OLD + "ADD COLUMN \"x\" varchar(9) DEFAULT '' NOT NULL;", "COMMIT;"],
    ],
    ids=[
        "a new table",
        "concurrently",
        "dropped so",
        "not valid",
        "a check of a new table",
        "empty",
        "with a default that stays",
    ],
)
def test_what_old_code_survives_is_no_fault(statements):
    assert find_faults(statements) == set()


@pytest.mark.parametrize(
    ("options", "before", "faults"),
    [
        ({}, [], {"KEPT_NOT_NULL"}),
        ({"null": True}, [], set()),
        ({"db_default": ""}, [], set()),
        (
            {},
            [AlterField("notice", "x", models.CharField(max_length=9, db_default=""))],
            set(),
        ),
    ],
    ids=["not null", "null", "with a default", "with a default just before"],
)
def test_a_field_leaves_the_model_alone_only_if_new_code_can_store_rows(options, before, faults):
    state = ProjectState()
    field = models.CharField(max_length=9, **options)
    CreateModel(
        "notice", [("id", models.BigAutoField(primary_key=True)), ("x", field)]
    ).state_forwards("bookings", state)
    leaving = SeparateDatabaseAndState(state_operations=[RemoveField("notice", "x")])

    assert find_kept_columns(state, "bookings", [*before, leaving]) == faults


def test_migration_is_excused_for_exactly_what_is_wrong_with_it(monkeypatch):
    monkeypatch.setitem(EXCUSED, "bookings.0003_phone", {"NOT_NULL": "a reason"})

    assert judge("bookings.0003_phone", {"NOT_NULL"}) == []
    assert judge("bookings.0003_phone", {"NOT_NULL", "DROP_TABLE"}) == [
        "bookings.0003_phone: DROP_TABLE"
    ]
    assert judge("bookings.0003_phone", set()) == [
        "bookings.0003_phone: NOT_NULL is excused, but is not there"
    ]
    assert judge("bookings.9999_new", {"DROP_TABLE"}) == ["bookings.9999_new: DROP_TABLE"]
