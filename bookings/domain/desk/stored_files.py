"""Uploaded files in the database."""

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from django.urls import reverse

from bookings.models import StoredFile


class DatabaseStorage(Storage):
    """Keep a few small files as rows, so that each web process and each backup has them.

    https://docs.djangoproject.com/en/5.2/howto/custom-file-storage/
    """

    def exists(self, name: str) -> bool:
        return StoredFile.objects.filter(pk=name).exists()

    def size(self, name: str) -> int:
        return self.open(name).size

    def url(self, name: str | None) -> str:
        return reverse("bookings:photo", args=[name])

    def delete(self, name: str) -> None:
        StoredFile.objects.filter(pk=name).delete()

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        found = StoredFile.objects.filter(pk=name).first()
        if found is None:
            raise FileNotFoundError(name)
        return ContentFile(bytes(found.content), name=name)

    def _save(self, name: str, content: File[bytes]) -> str:
        StoredFile.objects.create(pk=name, content=content.read())
        return name
