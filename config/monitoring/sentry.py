"""Error reports to Sentry, without personal data. Imported only if SENTRY_DSN is set."""

from typing import Any

import sentry_sdk
from django.core.exceptions import ImproperlyConfigured
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.types import Event, Hint
from sentry_sdk.utils import BadDsn, Dsn

from config.lib.background_jobs import work_tags
from config.monitoring.logs import mask, mask_texts

KEPT_HEADERS = frozenset({"accept", "content-length", "content-type", "host", "user-agent"})


def start_sentry(dsn: str, *, release: str) -> None:
    """Raise ImproperlyConfigured for a DSN that is none."""
    try:
        Dsn(dsn)
    except BadDsn:  # without the cause, which may quote the key
        raise ImproperlyConfigured(
            "SENTRY_DSN must be an address such as https://key@host/1."
        ) from None
    sentry_sdk.init(
        dsn=dsn,
        release=release or None,
        send_default_pii=False,
        max_request_body_size="never",
        include_local_variables=False,
        server_name="",  # the machine's by default
        auto_session_tracking=False,
        # Integrations of other packages would add queries, calls and parameters.
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration(transaction_style="url", middleware_spans=False)],
        before_send=clean,
        before_breadcrumb=clean_breadcrumb,
    )


def clean(event: Event, hint: Hint) -> Event:
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
            "headers": {
                name: text for name, text in headers.items() if name.lower() in KEPT_HEADERS
            },
        }
    return mask_texts(report)  # type: ignore[no-any-return]


def clean_breadcrumb(crumb: dict[str, Any], hint: dict[str, Any]) -> dict[str, Any] | None:
    """Drop calls and queries, which hold people's ids."""
    if crumb.get("type") == "http" or crumb.get("category") in {"httplib", "query", "subprocess"}:
        return None
    crumb.pop("data", None)
    return mask_texts(crumb)  # type: ignore[no-any-return]
