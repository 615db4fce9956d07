"""Detection of poolers such as PgBouncer."""

from django.db.backends.base.base import BaseDatabaseWrapper


def leads_through_pooler(connection: BaseDatabaseWrapper) -> bool:
    """True if the server process is not the one in the connection: poolers make up its id."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [answering] = cursor.fetchone()
    return bool(answering != connection.connection.info.backend_pid)
