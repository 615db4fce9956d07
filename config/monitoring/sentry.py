"""Errors for Sentry, when SENTRY_DSN asks for it; otherwise nothing of it is even imported.

A report says where the code broke and nothing of whom: no bodies, no cookies, no addresses, no
values of variables. What is left is masked as the log is. https://docs.sentry.io/platforms/python/
"""

from typing import Any

import sentry_sdk
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.types import Event, Hint

from config.env.monitoring import Monitoring
from config.lib.tracing import work_tags
from config.monitoring.masking import mask, mask_texts

# Of a request: how it was made, not by whom. The address is left to the route.
KEPT_HEADERS = frozenset({"accept", "content-length", "content-type", "host", "user-agent"})


def start_sentry(monitoring: Monitoring) -> None:
    """Report errors from now on; nothing else leaves, neither traces nor sessions."""
    sentry_sdk.init(
        dsn=monitoring.sentry_dsn,
        environment=monitoring.sentry_environment,
        release=monitoring.release or None,
        send_default_pii=False,
        max_request_body_size="never",
        include_local_variables=False,
        # Named after the machine by default.
        server_name="",
        auto_session_tracking=False,
        # What the integrations of our packages would add: queries, calls, their parameters.
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration(transaction_style="url", middleware_spans=False)],
        before_send=clean,
        before_breadcrumb=clean_breadcrumb,
    )


def clean(event: Event, hint: Hint) -> Event:
    """Take out of a report what it has no use for, and mask the rest."""
    report: Any = event
    report["tags"] = {**report.get("tags", {}), **work_tags.get()}
    report.pop("user", None)
    report.pop("extra", None)
    request = report.get("request")
    if request:
        headers = request.get("headers") or {}
        report["request"] = {
            "method": request.get("method"),
            "url": mask(str(request.get("url", ""))).partition("?")[0],
            "headers": {name: text for name, text in headers.items() if _is_kept(name)},
        }
    return mask_texts(report)  # type: ignore[no-any-return]


def clean_breadcrumb(crumb: dict[str, Any], hint: dict[str, Any]) -> dict[str, Any] | None:
    """Keep what was logged before an error; leave out calls, whose addresses hold people's ids."""
    if crumb.get("type") == "http" or crumb.get("category") in {"httplib", "query", "subprocess"}:
        return None
    crumb.pop("data", None)
    return mask_texts(crumb)  # type: ignore[no-any-return]


def _is_kept(header: str) -> bool:
    return header.lower() in KEPT_HEADERS
