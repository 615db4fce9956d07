"""The description of /api/auth: the contract of NextAuth.js 4, whose clients work against it."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from config.lib.api_schema import answer, from_settings, refusal, retry_after, say_duration
from config.lib.api_texts import NOT_FOUND, TOO_MANY_STARTS

TAGS = ["Sign-in"]
HTML = (200, "text/html")
PAGE = {"type": "string"}
TOKEN = "kHzX4rZp0m8cW2sVbN6yQ1tJ7uLd9eGf"  # noqa: S105 # an example
PROVIDERS = {
    "google": {
        "id": "google",
        "name": "Google",
        "type": "oauth",
        "signinUrl": "http://localhost:8000/api/auth/signin/google",
        "callbackUrl": "http://localhost:8000/api/auth/callback/google",
    }
}
SESSION = {
    "user": {
        "id": "7d1f6f0e-4f0b-4d3c-9a56-0a5a3f0f1c11",
        "name": "Diego Díaz",
        "email": "diego@demo.example",
    },
    "expires": "2030-02-04T18:00:00.000Z",
}


def _object(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties}


def _text(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


URL = _object("url", url=_text(description="Where to go on, an address."))
FORM = _object(
    csrfToken=_text(description="From `GET /api/auth/csrf`, with its cookie."),
    callbackUrl=_text(
        description="A path of ours, or its address; what else there is, is ignored."
    ),
    json=_text(description="`true` asks for `{url}` instead of a redirect."),
)
SIGN_IN_FORM = {
    **FORM,
    "properties": {
        **FORM["properties"],
        "process": _text(
            description="`connect` adds the identity to who is signed in; `confirm` makes their "
            "sign-in fresh; `calendar` asks the administrator for the calendar."
        ),
    },
}
TO_GO_ON = OpenApiParameter(
    "X-Auth-Return-Redirect",
    str,
    OpenApiParameter.HEADER,
    description="With any value the same as `json=true`; what Auth.js sends.",
)
PASSED_ON = [
    OpenApiParameter(name, str, description=f"Passed on to {provider}.")
    for name, provider in {
        "prompt": "the provider",
        "login_hint": "Google",
        "hd": "Google",
        "login": "GitHub",
        "allow_signup": "GitHub",
    }.items()
]
CALLBACK_URL = OpenApiParameter(
    "callbackUrl", str, description="Where to go afterwards: a path of ours, or its address."
)


def _redirects(description: str, *headers: OpenApiParameter) -> dict[str, Any]:
    location = OpenApiParameter(
        "Location",
        str,
        OpenApiParameter.HEADER,
        required=True,
        response=[302],
        description=description,
    )
    return {"tags": TAGS, "parameters": [location, *headers]}


def _form(shape: dict[str, Any], **values: str) -> dict[str, Any]:
    example = OpenApiExample("a form", values, media_type="application/x-www-form-urlencoded")
    return {
        "request": {"application/x-www-form-urlencoded": shape},
        "examples": [example],
    }


PROVIDER = OpenApiParameter(
    "provider_id",
    str,
    OpenApiParameter.PATH,
    enum=["google", "github"],
    description="One of those that `GET /api/auth/providers` lists.",
    examples=[OpenApiExample("one", "google")],
)
REDIRECT = OpenApiResponse(description="Go on there.")
NO_PROVIDER = refusal("There is no such provider, or it has no credentials here.", NOT_FOUND)

describe_providers = extend_schema(
    operation_id="listProviders",
    tags=TAGS,
    summary="List the providers to sign in with",
    responses={
        200: answer(
            {
                "type": "object",
                "additionalProperties": _object(
                    *PROVIDERS["google"], **{key: _text() for key in PROVIDERS["google"]}
                ),
            },
            "Those that have credentials, by their id.",
            PROVIDERS,
        )
    },
)
SESSION_ANSWER = answer(
    {
        "anyOf": [
            _object(
                "user",
                "expires",
                user=_object(
                    "id",
                    "name",
                    "email",
                    id=_text(format="uuid"),
                    name=_text(),
                    email=_text(format="email"),
                    image=_text(format="uri"),
                ),
                expires=_text(format="date-time"),
            ),
            {"type": "object", "maxProperties": 0},
        ]
    },
    "The person and until when, or nobody.",
    SESSION,
    {},
)
describe_session = extend_schema(
    operation_id="getSession",
    tags=TAGS,
    summary="Ask who is signed in",
    description=from_settings(
        lambda: (
            "An empty object for a stranger. Asking renews a session older than "
            f"{say_duration(settings.SESSION_UPDATE_AGE)}."
        )
    ),
    responses={200: SESSION_ANSWER},
)
describe_session_update = extend_schema(
    operation_id="updateSession",
    tags=TAGS,
    summary="Ask who is signed in, as NextAuth's update() does",
    description="The body is ignored: the session is answered as it is.",
    request=None,
    responses={200: SESSION_ANSWER},
)
describe_csrf = extend_schema(
    operation_id="getCsrfToken",
    tags=TAGS,
    summary="Get the token that signing in and out ask for",
    description="Its cookie comes along; both have to be sent.",
    responses={
        200: answer(_object("csrfToken", csrfToken=_text()), "The token.", {"csrfToken": TOKEN})
    },
)
ERROR_CODE = OpenApiParameter("error", str, description="One of NextAuth's error codes.")
describe_sign_in_page = extend_schema(
    operation_id="showSignIn",
    summary="Go to the sign-in page",
    **_redirects("The sign-in page, `/inicio`.", CALLBACK_URL, ERROR_CODE),
    responses={302: REDIRECT},
)
describe_provider_page = extend_schema(
    operation_id="showProviderSignIn",
    summary="Go to the sign-in page, from a provider's address",
    description="Nobody is sent to a provider by a link: that takes the POST.",
    **_redirects("The sign-in page, `/inicio`.", PROVIDER, CALLBACK_URL, ERROR_CODE),
    responses={302: REDIRECT, 404: NO_PROVIDER},
)
describe_sign_in = extend_schema(
    operation_id="signIn",
    summary="Begin to sign in with a provider",
    **_redirects(
        "The provider; the sign-in page, where the token is wrong; or a page that asks for a fresh "
        "sign-in first.",
        PROVIDER,
        TO_GO_ON,
        *PASSED_ON,
        retry_after(),
    ),
    **_form(SIGN_IN_FORM, csrfToken=TOKEN, callbackUrl="/inicio", json="true"),
    responses={
        200: answer(
            URL,
            "Where to go on, for `json=true`: as with 302.",
            {"url": "http://localhost:8101/o/oauth2/v2/auth?client_id=demo-google"},
        ),
        302: REDIRECT,
        404: NO_PROVIDER,
        429: refusal(
            from_settings(
                lambda: f"Over {settings.MAX_SIGN_IN_STARTS} begun in a minute from one address."
            ),
            TOO_MANY_STARTS,
        ),
    },
)
describe_callback = extend_schema(
    operation_id="finishSignIn",
    summary="Come back from the provider",
    description="For the provider's redirect. It sets the session cookie.",
    **_redirects(
        "Where the person wanted to go, or the page that explains what went wrong.",
        PROVIDER,
        OpenApiParameter("code", str, description="Good for one exchange."),
        OpenApiParameter("state", str, description="Ties the answer to the browser that asked."),
        OpenApiParameter("error", str, description="What the provider refused."),
    ),
    responses={302: REDIRECT, 404: NO_PROVIDER},
)
describe_sign_out_page = extend_schema(
    operation_id="signOutByLink",
    summary="Sign out, by a link",
    description="From another site, or when a browser only looks ahead, a page asks first.",
    **_redirects("`callbackUrl`, by default `/`.", CALLBACK_URL),
    responses={HTML: OpenApiResponse(PAGE, description="A page that asks."), 302: REDIRECT},
)
describe_sign_out = extend_schema(
    operation_id="signOut",
    summary="Sign out",
    **_redirects("`callbackUrl`, by default `/`.", TO_GO_ON),
    **_form(FORM, csrfToken=TOKEN, callbackUrl="/", json="true"),
    responses={
        200: answer(
            URL, "Where to go on, for `json=true`: as with 302.", {"url": "http://localhost:8000/"}
        ),
        302: REDIRECT,
    },
)
describe_error = extend_schema(
    operation_id="showSignInError",
    summary="Go to the page that explains an error",
    **_redirects(
        "`/inicio` or `/`, with the code.",
        ERROR_CODE,
    ),
    responses={302: REDIRECT},
)
describe_log = extend_schema(
    operation_id="logSignInError",
    tags=TAGS,
    summary="Take what NextAuth's client reports about itself",
    description="Whatever is sent is dropped.",
    request=None,
    responses={204: OpenApiResponse(description="It is dropped.")},
)
