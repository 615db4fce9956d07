"""config/env/seller.py: who sells the classes."""

import pytest

from tests.config.environments import development, refusal


def test_nothing_is_known_of_the_seller_unless_it_is_set():
    assert not any(getattr(development().SELLER, name) for name in ("name", "cuit", "address"))


def test_seller_is_read_under_the_documented_names():
    seller = development(
        SELLER_NAME="Paula Profe",
        SELLER_CUIT="20-12345678-6",
        SELLER_ADDRESS="Calle 1",
        SELLER_HOURS="de 9 a 18",
        SELLER_DATA_FISCAL_URL="https://qr.afip.example/?qr=a-b_c,,",
    ).SELLER

    assert (seller.name, seller.cuit) == ("Paula Profe", "20-12345678-6")
    assert (seller.address, seller.hours) == ("Calle 1", "de 9 a 18")
    assert seller.data_fiscal_url == "https://qr.afip.example/?qr=a-b_c,,"


@pytest.mark.parametrize("typed", ["20123456786", "20-12345678-6", "20 12345678 6"])
def test_cuit_is_written_as_people_write_it(typed):
    assert development(SELLER_CUIT=typed).SELLER.cuit == "20-12345678-6"


@pytest.mark.parametrize("typed", ["20-12345678-5", "20-12345687-6", "02-12345678-6"])
def test_mistyped_cuit_stops_the_start(typed):
    text = refusal(SELLER_CUIT=typed)

    assert "SELLER_CUIT is mistyped" in text
    assert typed not in text


@pytest.mark.parametrize("typed", ["2012345678", "201234567866", "20-1234567a-6", "٢٠123456786"])
def test_cuit_that_is_no_number_of_eleven_digits_is_named(typed):
    assert "SELLER_CUIT must have 11 digits" in refusal(SELLER_CUIT=typed)


@pytest.mark.parametrize(
    "typed",
    [
        "http://qr.afip.example/?qr=a",
        "qr.afip.example",
        "https://",
        "https://[half",
        "javascript:alert(1)",
        "https://user@afip.example/",
        "https://afip.example/a b",
    ],
)
def test_data_fiscal_link_must_be_https(typed):
    assert "SELLER_DATA_FISCAL_URL must be" in refusal(SELLER_DATA_FISCAL_URL=typed)
