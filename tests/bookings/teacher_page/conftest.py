"""Pictures as cameras and phones make them."""

import io
from collections.abc import Callable

import pytest
from PIL import Image


@pytest.fixture
def picture() -> Callable[..., io.BytesIO]:
    """Make a picture file: its upper half red, its lower half blue."""

    def make(kind: str = "JPEG", size: tuple[int, int] = (400, 400), **options) -> io.BytesIO:
        image = Image.new("RGB", size, "blue")
        image.paste("red", (0, 0, size[0], size[1] // 2))
        image = image.convert(options.pop("mode", "RGB"))
        file = io.BytesIO()
        image.save(file, kind, **options)
        file.seek(0)
        file.name = f"foto.{kind.lower()}"
        return file

    return make
