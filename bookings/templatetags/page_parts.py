"""Parts of pages: boxes, list cells, bars, names of sweeps and providers, the code of the frame."""

import re
from collections.abc import Sequence
from typing import Any, Protocol
from urllib.parse import urljoin

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from bookings.payments.backend import name_provider

register = template.Library()
register.simple_tag(name_provider, name="provider_name")


@register.simple_tag
def embed_code() -> str:
    """Return an ``<iframe>``; the template escapes it."""
    address = urljoin(settings.BASE_URL, reverse("bookings:timetable"))
    title = _("Horarios libres")
    size = 'width="100%" height="520" frameborder="0"'
    return f'<iframe src="{address}" title="{title}" {size} loading="lazy"></iframe>'


WITHOUT_VALUE = re.compile(r">[-—]</t[dh]>$")


@register.simple_tag
def labelled_cell(cell: SafeString, headers: Sequence[dict[str, Any]], number: int) -> SafeString:
    """Add its header to a rendered cell, or that it is empty. number: of the column, from 0."""
    name = headers[number]["text"] if number < len(headers) else ""
    tag = str(cell)[:3]  # "<td" or "<th"
    label = format_html(' data-label="{}"', str(name).capitalize())
    empty = " data-empty" if WITHOUT_VALUE.search(str(cell)) else ""
    # Django has escaped the cell, and format_html the label.
    return mark_safe(f"{tag}{label}{empty}{str(cell)[3:]}")  # noqa: S308 # nosec B308 B703


class Month(Protocol):
    @property
    def net(self) -> int: ...


@register.filter
def with_shares(months: Sequence[Month]) -> list[tuple[Month, int]]:
    """Pair each month with its percentage of the best one."""
    best = max((month.net for month in months), default=0)
    return [(month, max(100 * month.net // best, 0) if best > 0 else 0) for month in months]


@register.simple_block_tag
def notice(
    content: SafeString, look: str = "", *, icon: str, title: str, is_live: bool = False
) -> SafeString:
    """look: ``success``, ``warning`` or ``error``. icon: a file of templates/icons. is_live: a
    screen reader reads the box when the page changes.
    """
    context = {"content": content, "look": look, "title": title, "is_live": is_live}
    return render_to_string("bookings/_notice.html", context | {"icon": f"icons/{icon}.svg"})


NAMES = {
    "announce_events": "anotar avisos para otros sistemas",
    "check_calendar_grant": "probar el permiso del calendario",
    "compare_calendar": "comparar el calendario",
    "complete_ended_classes": "completar las clases dadas",
    "decide_open_classes": "decidir si se dan las clases abiertas",
    "delete_old_rows": "borrar lo que ya no hace falta",
    "deliver_webhooks": "avisar a otros sistemas",
    "expire_payments": "vencer pagos sin empezar",
    "finish_requested_schedulings": "agendar clases pagadas",
    "keep_push_channel": "mantener el aviso de cambios del calendario",
    "keep_wall_times": "mantener la hora de las clases si cambia la hora oficial",
    "pass_on_offers": "ofrecer lugares a la lista de espera",
    "plan_missing_reminders": "planear recordatorios",
    "process_notifications": "mirar los avisos de pagos",
    "search_payments": "buscar pagos que nadie avisó",
    "send_due_notices": "enviar correos",
    "send_due_refunds": "devolver pagos",
    "settle_due_payments": "confirmar pagos",
    "update_events": "mover eventos del calendario",
    "warn_of_deadlines": "avisar de las clases abiertas por decidir",
    "withdraw_events": "quitar eventos del calendario",
}


@register.filter
def sweep_name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))
