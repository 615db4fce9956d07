"""``/clase/<token>`` and accounts: who may claim the class, and who sees more of it."""

import re

import pytest

from bookings.domain.people.claiming import confirm_claim
from bookings.models import VirtualClass
from tests.pages.class_link.links import path_of, text_of
from tests.sales.offers import make_offer
from tests.sales.written_down import ADDRESS

pytestmark = pytest.mark.django_db


@pytest.fixture
def of_account(host, make_paid):
    """A paid class of Ana's, who has an account."""
    return make_paid(host)


def test_only_the_account_sees_more(client, sign_in, of_account, host, student):
    for bearer in (client, sign_in(student)):
        page = bearer.get(path_of(of_account))
        assert "Tu clase está confirmada" in text_of(page)
        # A whole word: the address of the link is random.
        assert not re.search(rf"\bAna\b|{host.email}|meet.google", page.content.decode())
        assert bearer.get(path_of(of_account, "/clase.ics")).status_code == 404

    assert sign_in(host).get(path_of(of_account)).url == f"/inicio/clases/{of_account.pk}"


def test_another_account_cannot_take_it(sign_in, of_account, student, host):
    sign_in(student).post(path_of(of_account, "/tomar"))

    assert VirtualClass.objects.get().booked_by == host


# --- Claiming -------------------------------------------------------------------------------------


def test_signing_in_leads_back_to_the_link(client, unpaid):
    page = client.get(path_of(unpaid)).content.decode()

    assert f'name="callbackUrl" value="{path_of(unpaid)}"' in page


def test_it_is_mine_puts_the_class_into_the_account(sign_in, unpaid, host):
    mine = sign_in(host)
    assert "Es mía" in text_of(mine.get(path_of(unpaid)))

    claimed = mine.post(path_of(unpaid, "/tomar"), follow=True)

    assert claimed.redirect_chain[-1][0] == f"/inicio/clases/{unpaid.pk}"
    assert "Listo: la clase está en tu cuenta." in text_of(claimed)
    assert VirtualClass.objects.get().booked_by == host


def test_a_stranger_claims_nothing(client, unpaid, lucia):
    assert client.post(path_of(unpaid, "/tomar")).url == path_of(unpaid)
    assert VirtualClass.objects.get().booked_by == lucia


def test_the_teacher_sees_what_her_student_sees(panel_client, unpaid, lucia):
    page = text_of(panel_client.get(path_of(unpaid)))
    panel_client.post(path_of(unpaid, "/tomar"))

    assert "Así la ve tu estudiante" in page
    assert VirtualClass.objects.get().booked_by == lucia


@pytest.fixture
def panel_client(sign_in, teacher):
    return sign_in(teacher)


def test_the_home_offers_the_class_to_the_owner_of_the_address(sign_in, unpaid, host, lucia):
    host.email = ADDRESS
    host.save()
    mine = sign_in(host)

    assert "La profe te reservó una clase" in text_of(mine.get("/inicio"))
    mine.post(f"/inicio/clases/tomar/{lucia.pk}")

    assert VirtualClass.objects.get().booked_by == host
    assert "te reservó" not in text_of(mine.get("/inicio"))


def test_the_home_offers_nothing_to_others(sign_in, unpaid, host, lucia):
    other = sign_in(host)

    assert "te reservó" not in text_of(other.get("/inicio"))
    other.post(f"/inicio/clases/tomar/{lucia.pk}")
    assert VirtualClass.objects.get().booked_by == lucia


@pytest.mark.parametrize("is_listed", [True, False])
def test_the_key_of_a_hidden_offer_is_not_shown(client, sign_in, unpaid, host, is_listed):
    offer = make_offer(is_listed=is_listed)
    VirtualClass.objects.update(offer=offer)

    assert (offer.key in client.get(path_of(unpaid)).content.decode()) == is_listed
    mine = sign_in(host)
    mine.post(path_of(unpaid, "/tomar"))
    assert (offer.key in mine.get(f"/inicio/clases/{unpaid.pk}").content.decode()) == is_listed


def test_the_claimer_does_not_read_the_words(sign_in, paid, host, teacher):
    VirtualClass.objects.update(learning_focus="Mi divorcio, en pasado.")
    mine = sign_in(host)
    mine.post(path_of(paid, "/tomar"))

    assert "divorcio" not in text_of(mine.get(f"/inicio/clases/{paid.pk}"))

    confirm_claim(class_id=paid.pk, by=teacher, fresh_sign_in=True)
    assert "divorcio" in text_of(mine.get(f"/inicio/clases/{paid.pk}"))
