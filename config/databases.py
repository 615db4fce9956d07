"""Connections and their limits, by database engine."""

from typing import Any

SQLITE = "django.db.backends.sqlite3"
# A statement that takes longer, or waits longer for a lock, fails.
LIMITS = "-c statement_timeout=15s -c lock_timeout=5s"
# A machine that vanishes ends no connection: the kernel would wait for it for a quarter of an hour.
# https://www.postgresql.org/docs/current/libpq-connect.html
TCP = {
    "tcp_user_timeout": 8_000,  # milliseconds
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 2,
}


def database_settings(database: dict[str, Any]) -> dict[str, Any]:
    """Complete one of DATABASES; options in its address win.

    No pool: after a restart of PostgreSQL, psycopg's hands out dead connections or waits.
    """
    asked = database.get("OPTIONS", {})
    options = _sqlite(asked) if database["ENGINE"] == SQLITE else _postgresql(asked)
    return {"CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True, **database, "OPTIONS": options}


def _sqlite(asked: dict[str, Any]) -> dict[str, Any]:
    return {
        # SQLite ignores row locks: a writer waits for the write lock when its transaction begins.
        # With the default mode racing writers get "database is locked".
        "transaction_mode": "IMMEDIATE",
        # Long enough for a queue of writers, short enough to answer within ten seconds.
        "timeout": 8,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        # INSERT OR REPLACE fires the triggers of append-only tables only with this.
        " PRAGMA recursive_triggers=ON;",
        **asked,
    }


def _postgresql(asked: dict[str, Any]) -> dict[str, Any]:
    return {
        "connect_timeout": 5,
        **TCP,
        **asked,
        # PostgreSQL takes the last of two values: DATABASE_URL's wins.
        # PgBouncer refuses options that end in a space.
        "options": f"{LIMITS} {asked.get('options', '')}".strip(),
    }
