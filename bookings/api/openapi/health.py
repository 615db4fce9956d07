"""The description of GET /healthz and /readyz."""

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers

from config.lib.api_schema import answer

TAGS = ["Health"]
STATES = ["ok", "failing"]


class SweepStateSerializer(serializers.Serializer[None]):
    """How one piece of recurring work is doing."""

    status = serializers.ChoiceField(choices=STATES)
    age = serializers.IntegerField(
        allow_null=True, help_text="Seconds since it last ended well; null for never."
    )


class HealthSerializer(serializers.Serializer[None]):
    """The body of GET /healthz; where the database is down, ``status`` and ``database`` alone."""

    status = serializers.ChoiceField(choices=STATES)
    database = serializers.ChoiceField(choices=STATES)
    worker = serializers.ChoiceField(choices=STATES, required=False)
    sweeps = serializers.DictField(child=SweepStateSerializer(), required=False)


_WELL = {"status": "ok", "database": "ok", "worker": "ok"}
_BADLY = {"status": "failing", "database": "ok", "worker": "failing"}
_READY = {
    "status": "ok",
    "database": "ok",
    "migrations": "ok",
    "worker": "ok",
    "calendar": "ok",
    "cache": "ok",
}
_UNREADY = {"status": "failing", "worker": "unknown", "calendar": "unknown", "cache": "unknown"}
_CALENDAR_STATES = ["ok", "at_risk", "down", "revoked", "unreadable", "not_connected", "unknown"]
_READY_SHAPE = inline_serializer(
    "Readiness",
    {
        "status": serializers.ChoiceField(choices=["ok", "degraded", "failing"]),
        "database": serializers.ChoiceField(choices=STATES),
        "migrations": serializers.ChoiceField(choices=["ok", "missing", "unknown"]),
        "worker": serializers.ChoiceField(choices=["ok", "late", "stopped", "unknown"]),
        "calendar": serializers.ChoiceField(choices=_CALENDAR_STATES),
        "cache": serializers.ChoiceField(choices=["ok", "down", "unknown"]),
    },
)

describe_health = extend_schema(
    operation_id="getHealth",
    tags=TAGS,
    summary="Ask whether the service keeps its promises",
    description="For whoever has to be woken up: the database, and the work behind the requests.",
    responses={
        200: answer(
            HealthSerializer,
            "All is well.",
            {**_WELL, "sweeps": {"send_due_notices": {"status": "ok", "age": 21}}},
        ),
        503: answer(
            HealthSerializer,
            "Something fails.",
            {**_BADLY, "sweeps": {"send_due_notices": {"status": "failing", "age": 901}}},
            {"status": "failing", "database": "failing"},
        ),
    },
)
describe_readiness = extend_schema(
    operation_id="getReadiness",
    tags=TAGS,
    summary="Ask whether this process can serve",
    description=(
        "For balancers: the database can be written to, and has every migration. Worker, calendar "
        "and cache are named too; without them people can still book, so the answer is 200, and "
        "`degraded`."
    ),
    responses={
        200: answer(
            _READY_SHAPE, "It can.", _READY, {**_READY, "status": "degraded", "worker": "stopped"}
        ),
        503: answer(
            _READY_SHAPE,
            "It cannot.",
            {**_READY, **_UNREADY, "migrations": "missing"},
            {**_READY, **_UNREADY, "database": "failing", "migrations": "unknown"},
        ),
    },
)
