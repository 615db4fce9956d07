"""Video meetings: how a conference request becomes a link, now, later or never."""

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from tests.standins.google_errors import refuse

Mode = Literal["success", "pending", "failure", "absent"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(slots=True)
class Meeting:
    """The fate of one event's conference request.

    mode: ``absent`` is pending without saying so, which has been seen as well.
    reads: how many times ``events.get`` still finds it unfinished.
    """

    mode: Mode
    reads: int

    def look(self, conference: dict[str, Any]) -> dict[str, Any]:
        """Give the conference as one more read finds it."""
        if self.mode in {"success", "failure"}:
            return conference
        if self.reads > 0:
            self.reads -= 1
            return conference
        self.mode = "success"
        return with_link(conference["createRequest"])


def request_conference(request: Any, mode: Mode) -> dict[str, Any]:
    """Take a ``createRequest`` on; 400 for a kind of meeting other than Google Meet."""
    if not isinstance(request, dict) or not request.get("requestId"):
        refuse(400, "required", "Missing conference request id.")
    kind = request.get("conferenceSolutionKey", {}).get("type", "hangoutsMeet")
    if kind != "hangoutsMeet":
        refuse(400, "invalid", "Invalid conference type value.")
    kept: dict[str, Any] = {
        "requestId": request["requestId"],
        "conferenceSolutionKey": {"type": kind},
    }
    if mode == "success":
        return with_link(kept)
    if mode == "absent":
        return {"createRequest": kept}
    return {"createRequest": {**kept, "status": {"statusCode": mode}}}


def with_link(request: dict[str, Any]) -> dict[str, Any]:
    """Give a finished conference; the code follows from the request id."""
    digest = hashlib.sha256(request["requestId"].encode()).digest()
    code = "".join(LETTERS[byte % 26] for byte in digest[:10])
    code = f"{code[:3]}-{code[3:7]}-{code[7:]}"
    link = f"meet.google.com/{code}"
    return {
        "createRequest": {**request, "status": {"statusCode": "success"}},
        "entryPoints": [{"entryPointType": "video", "uri": f"https://{link}", "label": link}],
        "conferenceSolution": {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"},
        "conferenceId": code,
    }
