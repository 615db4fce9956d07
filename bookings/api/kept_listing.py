"""The answer to GET /api/calendar, written once for all visitors."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.urls import ResolverMatch
from django.utils import timezone
from django.utils.http import parse_etags, quote_etag
from rest_framework.request import Request

from calendar_sync import BusySlot, Listing, Stamp, current_stamp

PATH = "/api/calendar"


@dataclass(frozen=True, slots=True)
class KeptListing:
    """The list as JSON. until: when its first event ends. route: for logs and metrics."""

    body: bytes
    etag: str
    stamp: Stamp
    until: datetime | None
    route: ResolverMatch | None

    def is_current(self) -> bool:
        return not self.is_over() and self.stamp == current_stamp()

    def is_over(self) -> bool:
        return self.until is not None and self.until <= timezone.now()


_kept: KeptListing | None = None


class KeptListingMiddleware:
    """Send a current list before any session is read; one query if processes share no cache."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == PATH and request.method == "GET":
            request.get_host()  # raises DisallowedHost (400) as for every other request
            if _kept is not None and _kept.is_current():
                request.resolver_match = _kept.route
                return answer(request, _kept)
        return self.get_response(request)


def keep(listing: Listing, route: ResolverMatch | None) -> KeptListing:
    global _kept
    if _kept is not None and _kept.stamp == listing.stamp and not _kept.is_over():
        return _kept  # the calendar failed, so this is the same list
    shown = [_present_slot(slot) for slot in listing.slots]
    body = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
    _kept = KeptListing(
        body=body,
        etag=quote_etag(hashlib.sha256(body).hexdigest()[:32]),
        stamp=listing.stamp,
        until=min((slot.end for slot in listing.slots), default=None),
        route=route,
    )
    return _kept


def _present_slot(slot: BusySlot) -> dict[str, Any]:
    """Spec: Resources, Calendar event."""
    return {
        "start": _present_instant(slot.start, slot.start_time_zone),
        "end": _present_instant(slot.end, slot.end_time_zone),
        "status": slot.status,
    }


def _present_instant(instant: datetime, time_zone: str | None) -> dict[str, str]:
    return {"dateTime": instant.isoformat()} | ({"timeZone": time_zone} if time_zone else {})


def answer(request: HttpRequest | Request, kept: KeptListing) -> HttpResponse:
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    # Compressing proxies make a tag weak.
    if any(tag == "*" or tag.removeprefix("W/") == kept.etag for tag in known):
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = HttpResponse(kept.body, content_type="application/json")
        response.headers["Content-Length"] = str(len(kept.body))
    response.headers["ETag"] = kept.etag
    response.headers["Cache-Control"] = "private, no-cache"
    return response
