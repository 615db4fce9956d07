"""What goes wrong."""

from typing import Any

from django.conf import settings
from django.test import Client

from tests.i18n.states.world import state


@state("switch_language", status=400)
def bad_request(world):
    return world.post("switch_language", language="fr")


@state("admin:login", status=403)
def forbidden(world):
    return world.client(world.host).get("/admin/", follow=True)


@state("switch_language", status=403)
def form_without_its_token(world):
    client = Client(enforce_csrf_checks=True)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = world.language
    return client.post("/idioma")


@state("", status=404)
def nothing_there(world):
    return world.client().get("/nothing")


@state("switch_language", status=405)
def address_of_a_form(world):
    return world.client(world.host).get("/idioma")


@state("bookings:my_classes", status=503)
def too_many_connections(world):
    world.monkeypatch.setattr("config.web.errors.lacks_connection", lambda error: True)
    return bug(world)


@state("bookings:my_classes", status=500)
def bug(world):
    def fail(*arguments: Any) -> None:
        raise RuntimeError

    world.monkeypatch.setattr("bookings.pages.classes.list_next_classes_of", fail)
    return world.get("bookings:my_classes", user=world.host)
