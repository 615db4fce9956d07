"""What the database does meanwhile, and what it could do: PostgreSQL's own processes, pgbench."""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from bookings.models import ClassType, Role, UserActivity, VirtualClass
from tests.bench.filling import RANGE, SCATTER, id_of, insert_sql
from tests.bench.processor import PROC, cpu_of_all
from tests.bench.scene import CLASSES, PEOPLE, add_people, add_scheduled_classes

# Numbers that nobody else uses; each client of pgbench has as many people of its own.
FIRST_PERSON, PEOPLE_EACH, CLIENTS = 1_000_000, 6_000, 8
FIRST_CLASS, ENDLESS = 90_000_000, 1_000_000
TPS = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)


def database_cpu() -> dict[int, int]:
    """Give the nanoseconds of each process that serves a bench's database; none elsewhere."""
    if connection.vendor == "sqlite":
        return {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname LIKE 'bench%'")
        pids = [pid for (pid,) in cursor.fetchall()]
    return cpu_of_all(pid for pid in pids if _is_postgres(pid))


def _is_postgres(pid: int) -> bool:
    file = PROC / str(pid) / "comm"
    return file.is_file() and file.read_text().startswith("postgres")


@dataclass(slots=True)
class DatabaseRates:
    """What pgbench does with the same rows, in each round: the database without the service.

    booking: inserts of a class's row by 2 clients. join: a place counted and a part inserted, all
    in one class, by 8. On SQLite, or without pgbench, there are none.
    """

    seconds: float
    rounds: list[dict[str, float]] = field(default_factory=list)

    def measure(self) -> None:
        """Let pgbench do its round."""
        if connection.vendor == "sqlite" or not shutil.which("pgbench"):
            self.rounds.append({})
            return
        hot_class = FIRST_CLASS + len(self.rounds)
        if not self.rounds:
            add_people(FIRST_PERSON, FIRST_PERSON + PEOPLE_EACH * CLIENTS)
        add_scheduled_classes(hot_class, hot_class, places=ENDLESS)
        self.rounds.append(
            {
                "booking": self._run(insert_script(), clients=2),
                "join": self._run(join_script(hot_class), clients=CLIENTS),
            }
        )

    def of(self, number: int, operation: str) -> float | None:
        """Give the transactions in a second of a round, None where there is no such figure."""
        return self.rounds[number].get(operation)

    def _run(self, script: str, *, clients: int) -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(script)
            file.flush()
            command = ["pgbench", "--no-vacuum", "-c", str(clients), "-D", "i=0"]
            command += ["-T", str(round(self.seconds)), "-M", "prepared", "-f", file.name]
            command += [os.environ["DATABASE_URL"]]
            ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(TPS.findall(ran.stdout)[0])


def insert_script() -> str:
    """Write the insert of a pending class."""
    start = timezone.now() + timedelta(days=3)
    booked = VirtualClass(
        booked_by_id=id_of(PEOPLE, 1),
        start_time=start,
        end_time=start + timedelta(hours=1),
        utc_offset=-180,
        class_type=ClassType.INDIVIDUAL,
        class_price=1_500_000,
        max_participants=1,
        participants_ids=[str(id_of(PEOPLE, 1))],
    )
    random = "gen_random_uuid()"
    return f"{insert_sql(booked, id=random, preference_id=random)};\n"


def join_script(class_number: int) -> str:
    """Write the two statements of a join; each client lets one person after the other in."""
    virtual_class = id_of(CLASSES, class_number)
    part = UserActivity(virtual_class_id=virtual_class, rol=Role.PARTICIPANT)
    person = f"(lpad(to_hex({PEOPLE}), 8, '0') || lpad(to_hex(:person::bigint), 24, '0'))::uuid"
    count_place = "UPDATE bookings_virtualclass SET current_participants = current_participants + 1"
    return f"""\\set i :i + 1
\\set number {FIRST_PERSON} + :client_id * {PEOPLE_EACH} + :i % {PEOPLE_EACH}
\\set person :number * {SCATTER} % {RANGE}
BEGIN;
{count_place}
 WHERE id = '{virtual_class}' AND current_participants < max_participants;
{insert_sql(part, user_id=person)};
COMMIT;
"""
