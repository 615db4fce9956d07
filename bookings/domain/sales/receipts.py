"""The photo of a transfer's receipt: stored with the announcement, deleted after RECEIPT_LIFE."""

from datetime import timedelta
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from PIL import Image

from accounts.models import User
from bookings.domain.exceptions import PhotoError
from bookings.domain.pictures import read_picture, write_jpeg
from bookings.models import BankTransfer
from config.lib.throttling import is_too_often

RECEIPT_LIFE = timedelta(days=60)
# Photos that a person sends, refused ones included: reading one costs a second of the CPU.
MAX_TRIES, WINDOW = 20, timedelta(hours=1)
# The longest side in pixels; the smaller ones are for a picture that stays above MAX_BYTES.
SIDES, MAX_BYTES = (1_600, 1_130, 800), 200_000
# A JPEG is reduced to no less than this on its shortest side while it is decoded.
DECODED_SIDE = 1_200


def encode_receipt(content: IO[bytes], user: User) -> bytes:
    """Return a JPEG. Raises PhotoError."""
    if is_too_often("receipts", user.pk, limit=MAX_TRIES, window=WINDOW):
        raise PhotoError(_("Mandaste muchas fotos. Probá en una hora, o avisá sin la foto."))
    picture = read_picture(content, DECODED_SIDE)
    for side in SIDES:
        picture.thumbnail((side, side), Image.Resampling.LANCZOS)
        written = write_jpeg(picture, MAX_BYTES)
        if len(written) <= MAX_BYTES:
            break
    return written


def keep_receipt(transfer: BankTransfer, picture: bytes) -> None:
    """Store the first one; a transfer has one at most."""
    if not transfer.receipt:
        name = default_storage.save(f"receipts/{transfer.pk}", ContentFile(picture))
        transfer.receipt.name = name
        transfer.save(update_fields=["receipt"])


def forget_receipts() -> int:
    """Delete the receipts of transfers announced RECEIPT_LIFE ago or more; return how many."""
    until = timezone.now() - RECEIPT_LIFE
    return delete_receipts(BankTransfer.objects.filter(announced_at__lte=until))


def delete_receipts(transfers: QuerySet[BankTransfer]) -> int:
    names = dict(transfers.exclude(receipt="").values_list("pk", "receipt"))
    with transaction.atomic():
        for name in names.values():
            default_storage.delete(name)
        return BankTransfer.objects.filter(pk__in=names).update(receipt="")
