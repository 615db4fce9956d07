"""Invalid links: the page says what to do, and nothing about the first owner."""

import logging
from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.people.claiming import claim_class, replace_link, return_claim
from bookings.models import VirtualClass
from config.monitoring.logs import mask
from tests.pages.class_link.links import check_that_it_names_nobody, path_of, text_of

pytestmark = pytest.mark.django_db


def test_a_claimed_link_says_nothing_to_others(client, sign_in, paid, host, student, teacher):
    path = path_of(paid)
    claim_class(user=host, token=path.removeprefix("/clase/"))

    for bearer in (client, sign_in(student), sign_in(teacher)):
        page = bearer.get(path)
        assert page.status_code == 410
        assert "Esta clase ya está en una cuenta" in text_of(page)
        check_that_it_names_nobody(page)
        secrets = (host.name, host.email, paid.access_code, str(paid.pk))
        assert not [one for one in secrets if one in page.content.decode()]
        for step in ("/pagar", "/tomar"):
            assert bearer.post(f"{path}{step}").url == path
        assert bearer.get(f"{path}/clase.ics").status_code == 404

    assert sign_in(host).get(path).url == f"/inicio/clases/{paid.pk}"


def test_a_replaced_link_says_where_the_new_one_is(client, paid, teacher):
    path = path_of(paid)
    replace_link(class_id=paid.pk, by=teacher)

    page = client.get(path)

    assert page.status_code == 410
    assert "Buscá el último que te mandó" in text_of(page)
    check_that_it_names_nobody(page)
    assert client.get(path_of(paid)).status_code == 200


def test_an_undone_claim_ends_the_link_of_the_wrong_account(sign_in, paid, student, teacher):
    path = path_of(paid)
    claim_class(user=student, token=path.removeprefix("/clase/"))
    return_claim(class_id=paid.pk, by=teacher, fresh_sign_in=True)
    wrong = sign_in(student)

    assert wrong.get(path).status_code == 410
    assert wrong.get(f"/inicio/clases/{paid.pk}").status_code == 404


def test_the_link_of_a_class_that_is_over_says_so(client, paid):
    hour = timedelta(hours=1)
    path, now = path_of(paid), timezone.now()
    VirtualClass.objects.update(start_time=now - 2 * hour, end_time=now - hour)

    page = client.get(path)

    assert page.status_code == 410
    assert "Esta clase ya terminó" in text_of(page)
    check_that_it_names_nobody(page)


@pytest.mark.parametrize(
    "token", ["x", "%00", "a" * 3_000, "ñandú", "..", "<script>", "0" * 32 + "." + "A" * 43]
)
def test_garbage_is_said_to_be_incomplete(client, db, token):
    page = client.get(f"/clase/{token}")

    assert page.status_code == 404
    for step in ("/pagar", "/tomar"):
        assert client.post(f"/clase/{token}{step}").status_code in {302, 404}


def test_no_log_holds_a_token(client, paid, teacher, caplog):
    caplog.set_level(logging.DEBUG)
    path = path_of(paid)
    client.get(path)
    replace_link(class_id=paid.pk, by=teacher)
    client.get(path)
    client.get(f"/inicio?callbackUrl={path}")

    assert path.removeprefix("/clase/") not in mask(caplog.text)
    assert mask(f"GET {path} 410") == "GET /clase/*** 410"
    assert mask("callbackUrl=%2Fclase%2Fabc.def") == "callbackUrl=%2Fclase%2F***"
    assert mask("/inicio/clases/5") == "/inicio/clases/5"


@pytest.mark.parametrize(
    "address",
    ["{path}/clase.ics", "{path}/otra/cosa", "/clase/volver/00000000-0000-4000-8000-000000000000"],
)
def test_a_page_that_is_missing_below_a_link_is_not_stored_either(client, unpaid, address):
    missing = client.get(address.format(path=path_of(unpaid)))

    assert missing.status_code == 404
    assert "no-store" in missing.headers["Cache-Control"]
    assert missing.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert missing.headers["Referrer-Policy"] == "same-origin"
