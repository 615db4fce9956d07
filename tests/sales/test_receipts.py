"""domain/sales/receipts.py: the photo of a transfer's receipt, from the student to its end."""

import io
import json
import random
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings as given
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from bookings.domain.exceptions import PhotoError, TooManyTransfersError
from bookings.domain.people.personal_data import erase_person, export_person
from bookings.domain.sales.receipts import MAX_BYTES, MAX_TRIES, encode_receipt
from bookings.domain.sales.transfers import MAX_WAITING, refuse_transfer
from bookings.models import BankTransfer, StoredFile
from bookings.work.sweeps import delete_old_rows
from tests.factories import UserFactory, draw_photo
from tests.pages.links import path_of
from tests.pages.texts import text_of
from tests.processes import ROOT
from tests.sales.transfers import START, announce, store, take_transfers
from tests.sales.written_down import book_class_for, write_lucia

pytestmark = pytest.mark.usefixtures("mercadopago", "google")

NUMBER = "12345678"


@pytest.fixture(autouse=True)
def _rules(db):
    take_transfers()


@pytest.fixture
def booked(host):
    return store(host)


@pytest.fixture
def lucia(db):
    return write_lucia()


def upload(content=None, name="foto.jpg"):
    return SimpleUploadedFile(name, content or draw_photo((900, 2_400)).read(), "image/jpeg")


def send(client, address, **changes):
    form = {"operation_number": NUMBER, "receipt": upload()} | changes
    return client.post(address, form, follow=True)


def address_of(booked):
    return reverse("bookings:transfer", args=[booked.pk])


def receipt_of(transfer):
    return reverse("admin:transfer_receipt", args=[transfer.pk])


# --- Sent -----------------------------------------------------------------------------------------


def test_a_large_photo_becomes_a_small_jpeg_without_metadata():
    noise = Image.frombytes("RGB", (2_000, 3_000), random.Random(1).randbytes(18_000_000))
    file, data = io.BytesIO(), Image.Exif()
    data[271] = "Camera of Ana"
    noise.save(file, "JPEG", exif=data, comment=b"Ana")

    content = encode_receipt(file, UserFactory())

    made = Image.open(io.BytesIO(content))
    assert (made.format, max(made.size), dict(made.getexif())) == ("JPEG", 1_130, {})
    assert (len(content) <= MAX_BYTES, b"Ana" in content) == (True, False)


def test_the_student_sends_it_and_the_teacher_sees_it(booked, host, teacher, sign_in):
    assert "avisamos a tu profe" in text_of(send(sign_in(host), address_of(booked)))

    transfer = BankTransfer.objects.get()
    panel = sign_in(teacher)
    answer = panel.get(receipt_of(transfer))
    made = Image.open(io.BytesIO(answer.content))
    assert (made.format, made.size) == ("JPEG", (600, 1_600))
    assert "no-store" in answer["Cache-Control"]
    for page in (reverse("admin:transfers"), reverse("admin:class_sheet", args=[booked.pk])):
        assert f'href="{receipt_of(transfer)}"' in panel.get(page).content.decode()


def test_without_an_account_it_is_sent_by_the_link(teacher, lucia):
    booked = book_class_for(lucia, teacher)

    send(Client(), path_of(booked, "/transferencia"))

    assert BankTransfer.objects.get().receipt
    assert StoredFile.objects.count() == 1


PDF, LARGE = b"%PDF-1.7", b"x" * 2_000


@pytest.mark.parametrize("by_link", [False, True], ids=["account", "link"])
@pytest.mark.parametrize(
    ("content", "number", "said"),
    [
        (PDF, NUMBER, "No pudimos leer esa foto."),
        (b"x", "1", "Volvé a elegir la foto."),
        (LARGE, NUMBER, "La foto pesa más de 15 MB."),
    ],
    ids=["pdf", "number", "large"],
)
def test_a_bad_photo_is_said_beside_the_field_and_stores_nothing(
    host, teacher, lucia, sign_in, settings, by_link, content, number, said
):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 1_000
    booked = book_class_for(lucia, teacher) if by_link else store(host)
    address = path_of(booked, "/transferencia") if by_link else address_of(booked)
    form = {"operation_number": number, "receipt": upload(content)}

    answer = send(Client() if by_link else sign_in(host), address, **form)

    assert said in str(answer.context["form"]["receipt"].errors)
    assert said in text_of(answer)
    assert not BankTransfer.objects.exists()
    assert not StoredFile.objects.exists()


# --- For whom -------------------------------------------------------------------------------------


def test_only_staff_who_may_see_transfers_see_it(booked, host, stranger, sign_in):
    transfer = announce(booked, receipt=draw_photo())
    helper = UserFactory(is_staff=True)

    answers = [sign_in(one).get(receipt_of(transfer)) for one in (host, stranger, helper)]

    assert [one.status_code for one in answers] == [302, 302, 403]
    assert Client().get(receipt_of(transfer)).status_code == 302
    (name,) = StoredFile.objects.values_list("pk", flat=True)
    for guess in (name, name.rpartition("/")[2]):
        assert Client().get(f"/foto/{guess}.jpg").status_code == 404


def test_both_servers_take_it_at_the_same_addresses(booked):
    conf = (ROOT / "config/deploy/nginx/server.conf").read_text()

    assert given.RECEIPT_ADDRESSES.removeprefix("/") + "$" in conf


# --- Its end --------------------------------------------------------------------------------------


def test_it_is_deleted_sixty_days_after_the_announcement(booked):
    transfer = announce(booked, receipt=draw_photo())

    for days, left in ((59, 1), (60, 0)):
        with time_machine.travel(timezone.now() + timedelta(days=days, minutes=1), tick=False):
            delete_old_rows()
        assert StoredFile.objects.count() == left

    transfer.refresh_from_db()
    assert (transfer.receipt.name, transfer.operation_number) == ("", NUMBER)


def test_the_export_names_it_and_erasing_deletes_it(booked, host, teacher):
    transfer = announce(booked, receipt=draw_photo())
    refuse_transfer(transfer_id=transfer.pk, actor=teacher)
    assert json.loads(export_person(host))["transfers"][0]["hasReceipt"] is True

    erase_person(user=host, by=host)

    assert not StoredFile.objects.exists()


# --- Limits ---------------------------------------------------------------------------------------


def test_a_transfer_has_one(booked):
    first = announce(booked, receipt=draw_photo())

    # A second one is not even read.
    assert announce(booked, receipt=io.BytesIO(b"no picture")).receipt == first.receipt
    assert StoredFile.objects.count() == 1


def test_more_announcements_than_allowed_store_no_photo(student):
    booked = [store(student, start=START + timedelta(days=day)) for day in range(MAX_WAITING + 1)]
    for one in booked[:MAX_WAITING]:
        announce(one)

    with pytest.raises(TooManyTransfersError):
        announce(booked[-1], receipt=draw_photo())

    assert not StoredFile.objects.exists()


def test_bad_photos_are_read_so_often_and_no_more(booked, host):
    for _ in range(MAX_TRIES):
        with pytest.raises(PhotoError, match="No pudimos leer"):
            announce(booked, receipt=io.BytesIO(b"x"))

    with pytest.raises(PhotoError, match="avisá sin la foto"):
        announce(booked, receipt=draw_photo())
    assert announce(booked).receipt.name == ""
