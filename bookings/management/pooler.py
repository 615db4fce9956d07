"""Whether a pooler such as PgBouncer stands between the service and PostgreSQL."""

from django.db.backends.base.base import BaseDatabaseWrapper


def leads_through_pooler(connection: BaseDatabaseWrapper) -> bool:
    """Return True if the server that answers is another process than the one connected to.

    PgBouncer gives each client a process id of its own making. connection: PostgreSQL's.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [answering] = cursor.fetchone()
    return bool(answering != connection.connection.info.backend_pid)
