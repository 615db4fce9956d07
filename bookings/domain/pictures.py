"""Pictures that people upload: read with care, and written as JPEG without metadata."""

import io
import struct
from threading import Lock
from typing import IO, Any

from django.utils.translation import gettext as _
from PIL import Image, ImageCms
from PIL.JpegImagePlugin import JpegImageFile

from bookings.domain.exceptions import PhotoError

# Other formats, SVG among them, are not read at all.
FORMATS = ("JPEG", "PNG", "WEBP")
# Pixels in memory; several copies need four bytes each.
MAX_PIXELS = 12_000_000
# Pixels of a JPEG, which is reduced while it is decoded unless it is narrow. A progressive one
# needs six bytes for each pixel of the file.
MAX_JPEG_PIXELS, MAX_PROGRESSIVE_PIXELS = 50_000_000, 24_000_000
SHORTEST_SIDE = 200
QUALITIES = (84, 76, 68, 60, 50)
# A process decodes one picture at a time, because of the memory; others wait for so long.
DECODING, SECONDS = Lock(), 5
# What Pillow raises for damaged files of the three formats.
DAMAGED = (
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    Image.DecompressionBombError,
)
# The EXIF tag of the camera's orientation, and how each value is turned upright.
ORIENTATION = 274
TURNS: dict[Any, Image.Transpose] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def read_picture(content: IO[bytes], side: int) -> Image.Image:
    """Return the picture upright and in sRGB. Raises PhotoError.

    side: pixels; a larger JPEG is reduced while it is decoded, to no less than this.
    """
    if not DECODING.acquire(timeout=SECONDS):
        raise PhotoError(_("Ahora no podemos leer la foto. Probá de nuevo en un minuto."))
    try:
        with Image.open(content, formats=FORMATS) as image:
            _refuse_unsuitable(image)
            image.draft("RGB", (side, side))
            _refuse_more_than(MAX_PIXELS, image)
            return _to_srgb(_turn_upright(image))
    except DAMAGED as error:
        text = _("No pudimos leer esa foto. Subí un archivo JPG, PNG o WebP.")
        raise PhotoError(text) from error
    finally:
        DECODING.release()


def write_jpeg(image: Image.Image, max_bytes: int) -> bytes:
    """Lower the quality until the file is small enough, if it can be."""
    image.info.clear()  # a comment of the camera would be written again
    for quality in QUALITIES:
        written = io.BytesIO()
        image.save(written, "JPEG", quality=quality, optimize=True, progressive=True)
        if written.tell() <= max_bytes:
            break
    return written.getvalue()


def _refuse_unsuitable(image: Image.Image) -> None:
    is_jpeg = isinstance(image, JpegImageFile)  # some phones append pictures to it: format MPO
    if is_jpeg:
        is_progressive = "progressive" in image.info
        _refuse_more_than(MAX_PROGRESSIVE_PIXELS if is_progressive else MAX_JPEG_PIXELS, image)
    if min(image.size) < SHORTEST_SIDE:
        text = _("La foto es muy chica: cada lado mide al menos %(pixels)s píxeles.")
        raise PhotoError(text % {"pixels": SHORTEST_SIDE})
    if getattr(image, "is_animated", False) and not is_jpeg:
        raise PhotoError(_("La foto no puede ser animada."))


def _refuse_more_than(pixels: int, image: Image.Image) -> None:
    if image.width * image.height > pixels:
        raise PhotoError(_("La foto es demasiado grande. Achicala un poco y subila de nuevo."))


def _turn_upright(image: Image.Image) -> Image.Image:
    # Not ImageOps.exif_transpose, which fails to write some EXIF data again.
    turn = TURNS.get(image.getexif().get(ORIENTATION, 1))
    return image if turn is None else image.transpose(turn)


def _to_srgb(image: Image.Image) -> Image.Image:
    """Return the picture on white, in the colours that browsers assume without a profile."""
    profile = image.info.get("icc_profile")
    if image.has_transparency_data:
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA"))
    if profile and image.mode in {"RGB", "CMYK"}:
        try:
            embedded = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            srgb = ImageCms.createProfile("sRGB")
            found = ImageCms.profileToProfile(image, embedded, srgb, outputMode="RGB")
        except (ImageCms.PyCMSError, OSError):  # a broken profile: take the colours as they are
            found = None
        image = found or image
    return image.convert("RGB")
