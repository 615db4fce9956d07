"""The frame of the panel: its tabs and its lists."""

import re

import pytest
from django.urls import reverse

from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db

TABS = re.compile(r'<nav class="tabs".*?</nav>', re.DOTALL)


def tabs_of(response) -> list[str]:
    tabs = TABS.search(response.content.decode()).group()
    return re.findall(r"<span>(\w+)</span>", tabs)


@pytest.mark.parametrize("name", ["index", "money", "more"])
def test_tab_of_the_page_is_marked(panel, name):
    tabs = TABS.search(panel.get(reverse(f"admin:{name}")).content.decode()).group()

    current = re.findall(r'href="([^"]+)"\s+aria-current="page"', tabs)

    assert current == [reverse(f"admin:{name}")]


def test_staff_without_rights_has_the_tabs_that_answer(host, sign_in):
    host.is_staff = True
    host.save()

    assert tabs_of(sign_in(host).get(reverse("admin:index"))) == ["Hoy", "Más"]


def test_filters_of_a_list_are_folded_and_say_when_they_are_in_use(panel):
    VirtualClassFactory()
    address = reverse("admin:bookings_virtualclass_changelist")

    usual = panel.get(address).content.decode()
    filtered = panel.get(f"{address}?pagada=si").content.decode()

    assert re.search(r"<details>\s*<summary>Filtros</summary>", usual)
    assert "Quitar los filtros" not in usual
    assert "<summary>Filtros elegidos</summary>" in filtered
    assert "Quitar los filtros" in filtered
    assert "No hay nada acá con lo que elegiste." in filtered
