"""Detection of a pooler such as PgBouncer."""

from django.db.backends.base.base import BaseDatabaseWrapper


def leads_through_pooler(connection: BaseDatabaseWrapper) -> bool:
    """True if a PostgreSQL connection leads through a pooler, which makes up process ids."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [answering] = cursor.fetchone()
    return bool(answering != connection.connection.info.backend_pid)
