"""The OpenAPI description of POST /api/webhooks/calendar."""

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema


def _header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description)


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
        _header("X-Goog-Channel-ID", "The channel."),
        _header("X-Goog-Channel-Token", "Its token, the proof that Google sends it."),
        _header("X-Goog-Resource-State", "`sync`, `exists` or `not_exists`."),
        _header("X-Goog-Message-Number", "Grows with each message of a channel."),
    ],
    responses={
        204: OpenApiResponse(description="It is taken."),
        404: OpenApiResponse(
            {"$ref": "#/components/schemas/Error"},
            description="Not the token of an open channel; as for an address that does not exist.",
        ),
    },
)
