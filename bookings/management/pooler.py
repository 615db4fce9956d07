"""Detection of poolers such as PgBouncer."""

from django.db.backends.base.base import BaseDatabaseWrapper


def leads_through_pooler(connection: BaseDatabaseWrapper) -> bool:
    """True if the server reports another process id: poolers make one up."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [answering] = cursor.fetchone()
    return bool(answering != connection.connection.info.backend_pid)
