"""The OpenAPI description of POST /api/webhooks/calendar."""

from drf_spectacular.utils import OpenApiResponse, extend_schema

from config.lib.api.schema import header, refusal

describe_push = extend_schema(
    operation_id="receiveCalendarPush",
    tags=["Webhooks we receive"],
    summary="Take a push message of Google Calendar",
    description=(
        "Answered before anything is looked into. The first message of a channel (`sync`) and "
        "repetitions change nothing. A body is not read."
    ),
    auth=[],
    request=None,
    parameters=[
        header("X-Goog-Channel-ID", "The channel."),
        header("X-Goog-Channel-Token", "Its token, the proof that Google sends it."),
        header("X-Goog-Resource-State", "`sync`, `exists` or `not_exists`."),
        header("X-Goog-Message-Number", "Grows with each message of a channel."),
    ],
    responses={
        204: OpenApiResponse(description="It is taken."),
        404: refusal("Not the token of an open channel; as for an address that does not exist."),
    },
)
