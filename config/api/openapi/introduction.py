from typing import Any

from config.api.json_body import MAX_DEPTH

DESCRIPTION = f"""\
JSON over `/api`, for the service's own pages and programs.

**Bodies** are read as JSON under any content type, because a bare string often travels \
as `text/plain`; form types are refused. Answers are JSON for any `Accept`, so there is no \
406. A key twice, NaN, numbers beyond a double, NUL, half a surrogate pair, text that is not UTF-8 \
and more than {MAX_DEPTH} levels are refused with 400. Unknown keys are ignored; answers may get \
new ones.

**Errors** are `{{"error": text}}` unless an operation says otherwise. The texts are for people, \
in Spanish; programs go by the status, and by `code` where there is one.

**Other sites** cannot use the session: its cookie is `SameSite=Lax`, and a POST with a foreign \
`Origin` or `Sec-Fetch-Site` is refused with 403. There are no CORS headers. Where the service is \
on https, plain http is redirected (301) for reading and refused (403) for the rest.

**Times** are ISO 8601 with an offset; classes are in Buenos Aires. **Money** is whole centavos.

**Versions**: what breaks a client does not change under the same address. What is to go is \
announced by `Deprecation` and `Sunset` headers, at least six months ahead; see docs/api.md.
"""

TAGS = [
    {"name": "Classes", "description": "Book a class, and join one."},
    {"name": "Calendar", "description": "Occupied times, and the step from paid to scheduled."},
    {"name": "Payments", "description": "Preferences of Mercado Pago, for clients of one's own."},
    {"name": "Profile", "description": "The four settings of a person."},
    {"name": "Sign-in", "description": "The contract of NextAuth.js 4: `next-auth/react` works."},
    {"name": "Webhooks we receive", "description": "Addresses that providers call."},
    {"name": "Webhooks we send", "description": "What other systems are told of classes."},
    {"name": "Health", "description": "For machines that watch the service."},
    {"name": "Description", "description": "This document."},
]


def add_introduction(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    result["info"]["description"] = DESCRIPTION
    result["tags"] = TAGS
    return result
