"""*Ofertas* in the panel."""

from datetime import date, timedelta
from urllib.parse import unquote

import pytest
import time_machine
from django.urls import reverse

from bookings.domain.desk.offers import list_offer_prices, list_offers
from bookings.models import Offer
from bookings.panel.sales.offer_pages import OfferForm
from tests.factories import VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.moments import MONDAY, NOW, days_later
from tests.sales.offers import add_price, make_group_offer, make_offer, make_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

LIST, NEW = reverse("admin:offers"), reverse("admin:new_offer")


def form(**changes):
    fields = {
        "name": "Preparación de examen",
        "class_type": "individual",
        "is_listed": "todos",
        "day": MONDAY.isoformat(),
        "minutes-0": "60",
        "new-0": "18.000",
    }
    return {name: value for name, value in (fields | changes).items() if value is not None}


def save(panel, offer, **changes):
    """Send the form of an offer as it was shown, but for the changes."""
    shown = panel.get(reverse("admin:offer", args=[offer.pk])).context["form"]
    fields = {name: shown[name].value() for name in shown.fields}
    fields["class_type"] = None
    return panel.post(
        reverse("admin:offer", args=[offer.pk]),
        {key: value for key, value in (fields | changes).items() if value not in {None, False}},
    )


def press(panel, offer, action):
    return panel.post(reverse("admin:act_on_offer", args=[offer.pk]), {"do": action}, follow=True)


def prices_of(offer):
    return [(one.minutes, one.students_up_to, one.amount) for one in list_offer_prices(offer)]


# --- Creating -------------------------------------------------------------------------------------


def test_a_name_a_length_and_a_price_are_enough(panel):
    response = panel.post(NEW, form(), follow=True)

    offer = Offer.objects.get()
    assert response.redirect_chain[-1][0] == LIST
    assert "Guardamos «Preparación de examen»." in plain_text_of(response)
    assert prices_of(offer) == [(60, 1, 1_800_000)]
    assert (offer.is_listed, offer.is_active, offer.once_per_person) == (True, True, False)
    assert len(offer.key) == 12


def test_several_lengths_and_everything_else(panel):
    more = {"minutes-1": "90", "new-1": "25.000", "once_per_person": "on", "is_listed": "enlace"}
    english = {"name_en": "Exam preparation", "text_en": "Mock exams."}
    panel.post(NEW, form(text="Simulacros.", subject="Inglés", **more, **english))

    offer = Offer.objects.get()
    assert prices_of(offer) == [(60, 1, 1_800_000), (90, 1, 2_500_000)]
    assert (offer.is_listed, offer.once_per_person) == (False, True)
    assert (offer.text, offer.subject) == ("Simulacros.", "Inglés")
    assert (offer.name_en, offer.text_en) == ("Exam preparation", "Mock exams.")


def test_a_group_has_a_price_for_each_size(panel):
    sizes = {"students-0": "3", "minutes-1": "60", "students-1": "6", "new-1": "30.000"}
    panel.post(NEW, form(class_type="grupal", **sizes))

    assert prices_of(Offer.objects.get()) == [(60, 3, 1_800_000), (60, 6, 3_000_000)]


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"name": None}, "name", "Completá este dato."),
        ({"new-0": None}, "new-0", "al menos una duración"),
        ({"new-0": "x"}, "new-0", "Escribí los pesos así"),
        ({"minutes-0": None}, "minutes-0", "Faltan los minutos"),
        ({"minutes-0": "5"}, "minutes-0", "10"),
        ({"minutes-1": "90"}, "new-1", "Falta el precio"),
        ({"minutes-1": "60", "new-1": "1"}, "minutes-1", "Esa duración ya está"),
        ({"class_type": "grupal", "students-0": "1"}, "students-0", "2 personas o más"),
        ({"class_type": "grupal", "students-0": "101"}, "students-0", "100"),
        ({"day": "2026-11-15"}, "day", "desde hoy"),
        ({"day": "9999-12-31"}, "day", ""),
        ({"text": "x" * 601}, "text", "600"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(changes, field, said):
    errors = OfferForm(form(**changes), offer=Offer(), prices=[]).errors

    assert said in " ".join(errors[field])


# --- Changing -------------------------------------------------------------------------------------


def test_a_new_price_from_a_day_on(panel):
    offer = make_offer({60: 1_800_000, 90: 2_500_000})

    save(panel, offer, **{"amount-60-1": "20.000", "day": "2026-12-01"})

    assert prices_of(offer) == [(60, 1, 1_800_000), (90, 1, 2_500_000)]
    assert offer.prices.count() == 3
    assert "$ 20.000 desde el mar 1 dic" in plain_text_of(panel.get(LIST))
    with time_machine.travel(NOW + timedelta(days=15)):
        assert prices_of(Offer.objects.get()) == [(60, 1, 2_000_000), (90, 1, 2_500_000)]


def test_saving_the_form_as_it_was_changes_no_price(panel):
    offer = make_offer({60: 1_800_000})
    add_price(offer, 60, 1, 2_000_000, valid_from=date(2026, 12, 1))

    save(panel, offer, name="Exámenes", day="2026-12-01")

    assert Offer.objects.get().name == "Exámenes"
    assert list(offer.prices.values_list("amount", flat=True).order_by("valid_from")) == [
        1_800_000,
        2_000_000,
    ]


def test_an_emptied_price_ends(panel):
    offer = make_offer({60: 1_800_000, 90: 2_500_000})
    add_price(offer, 90, 1, 2_900_000, valid_from=days_later(20))

    save(panel, offer, **{"amount-90-1": ""})

    assert prices_of(offer) == [(60, 1, 1_800_000)]
    assert offer.prices.get(minutes=90).valid_until == days_later(-1)


def test_a_length_is_added_and_the_last_one_stays(panel):
    offer = make_offer({60: 1_800_000})

    save(panel, offer, **{"minutes-0": "90", "new-0": "25.000"})
    refused = save(panel, offer, **{"amount-60-1": "", "amount-90-1": ""})

    assert prices_of(offer) == [(60, 1, 1_800_000), (90, 1, 2_500_000)]
    assert "al menos una duración" in plain_text_of(refused)


def test_a_type_stays_and_a_group_s_sizes_change(panel):
    offer = make_group_offer()

    save(panel, offer, class_type="individual", **{"amount-60-3": "25.000"})

    offer.refresh_from_db()
    assert offer.class_type == "grupal"
    assert prices_of(offer) == [(60, 3, 2_500_000), (60, 6, 4_200_000)]


def test_the_price_list_s_own_page_leaves_offers_out(panel):
    price = make_offer({60: 1_800_000}).prices.get()

    listed = plain_text_of(panel.get(reverse("admin:bookings_price_changelist")))
    alone = panel.get(reverse("admin:bookings_price_change", args=[price.pk]))

    assert "$ 18.000" not in listed
    assert alone.status_code == 302


# --- The list -------------------------------------------------------------------------------------


def test_each_offer_has_its_link_and_a_text_for_whatsapp(panel, settings):
    offer = make_trial(is_listed=False)

    [(card, address, chat)] = panel.get(LIST).context["cards"]

    assert card.offer == offer
    assert address == f"{settings.BASE_URL}/inicio/reservar?oferta={offer.key}"
    assert unquote(chat) == f"https://wa.me/?text=Clase de prueba: elegí día y hora acá. {address}"


@pytest.mark.parametrize(
    ("action", "field", "value", "said"),
    [
        ("esconder", "is_listed", False, "se reserva solo con el enlace"),
        ("mostrar", "is_listed", True, "está a la vista"),
        ("dejar", "is_active", False, "ya no se vende"),
        ("volver", "is_active", True, "se vende de nuevo"),
    ],
)
def test_a_button_shows_hides_and_ends_a_sale(panel, action, field, value, said):
    offer = make_offer(**{field: not value})

    response = press(panel, offer, action)

    offer.refresh_from_db()
    assert getattr(offer, field) is value
    assert said in plain_text_of(response)


def test_offers_change_places(panel):
    first, second, third = (make_trial(key=f"prueba{n}", name=f"Oferta {n}") for n in range(3))
    over = make_trial(key="vieja", is_active=False)

    press(panel, third, "subir")
    press(panel, first, "bajar")
    press(panel, third, "subir")
    press(panel, second, "bajar")

    assert [one.offer for one in list_offers()] == [third, first, second, over]
    assert [one.can_rise for one in list_offers()] == [False, True, True, False]
    assert [one.can_sink for one in list_offers()] == [True, True, False, False]


def test_the_list_takes_as_many_queries_for_three_as_for_one(panel, django_assert_max_num_queries):
    def count() -> int:
        with django_assert_max_num_queries(40) as queries:
            panel.get(LIST)
        return len(queries)

    make_offer()
    one = count()
    make_trial()
    make_group_offer(key="grupo2345678")

    assert count() == one


# --- Deleting -------------------------------------------------------------------------------------


def test_an_offer_that_nobody_booked_is_deleted_after_asking(panel):
    offer = make_offer()
    address = reverse("admin:delete_offer", args=[offer.pk])

    asked = plain_text_of(panel.get(address))
    response = panel.post(address, follow=True)

    assert "Se borran «Preparación de examen» y sus precios" in asked
    assert "Borramos «Preparación de examen»." in plain_text_of(response)
    assert not Offer.objects.exists()


def test_an_offer_that_was_booked_is_not_deleted_but_may_end(panel):
    offer = make_offer()
    VirtualClassFactory(offer=offer)

    page = plain_text_of(panel.post(reverse("admin:delete_offer", args=[offer.pk])))

    assert "Ya hubo reservas de esta oferta" in page
    assert "Dejar de venderla" in page
    assert offer.prices.exists()
