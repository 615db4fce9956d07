"""How the teacher takes a step of the panel: look at what it would do, and confirm that."""

import re

from django.contrib import admin
from django.urls import reverse


def address_of(row, name):
    """Give the address of a step's page."""
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_step", args=[row.pk, name])


def list_of(row):
    """Give the address of the list that a row is in."""
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_changelist")


def look(client, row, name, **given):
    """Fill the step's page in and look at what it would do."""
    return client.post(address_of(row, name), {"seen": "", **given})


def look_at_several(client, rows, name):
    """Choose rows of a list and an action, as the list sends it."""
    chosen = {"action": name, "_selected_action": [str(row.pk) for row in rows]}
    return client.post(list_of(rows[0]), chosen)


def seen_on(page):
    """Give the digest of the facts that a page shows; empty when there are none."""
    found = re.search(r'name="seen"\s+value="(\w*)"', page.content.decode())
    return found[1] if found else ""


def carry_out(client, row, name, *, follow=False, **given):
    """Take a step: look, then press the button that confirms what was shown."""
    seen = seen_on(look(client, row, name, **given))
    return client.post(address_of(row, name), {**given, "seen": seen}, follow=follow)


def confirm(client, row, name, **given):
    """Take a step, and read the page that follows."""
    return carry_out(client, row, name, follow=True, **given)


def carry_out_several(client, rows, name, *, follow=False, **given):
    """Take a step for several rows of a list."""
    seen = seen_on(look_at_several(client, rows, name))
    chosen = {"action": name, "_selected_action": [str(row.pk) for row in rows]}
    return client.post(list_of(rows[0]), {**given, **chosen, "seen": seen}, follow=follow)


def confirm_several(client, rows, name, **given):
    """Take a step for several rows of a list, and read the page that follows."""
    return carry_out_several(client, rows, name, follow=True, **given)


def all_steps():
    """List every step of the panel with the model that it is for."""
    for model, model_admin in admin.site._registry.items():
        for step in getattr(model_admin, "steps", ()):
            yield model, step
