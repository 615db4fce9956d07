"""The photo of the demo's teacher: nobody, drawn."""

import io

from PIL import Image, ImageDraw, ImageFilter

SIDE = 1_200
WALL, LIGHT, SHELF, PLANT = "#e8dcc6", "#fbf2df", "#c9b695", "#5d8a6a"
SKIN, SHADE, CHEEK, LIP = "#e9b995", "#d9a17b", "#e5a98a", "#b4543f"
HAIR, HAIR_LIGHT, DARK, WHITE = "#4a2f23", "#64422f", "#2b1c16", "#fffaf2"
SWEATER, SWEATER_DARK, HEADSET = "#1d6a50", "#14503c", "#f4b63f"


def draw_portrait() -> io.BytesIO:
    """Return a JPEG: a woman with a headset, who smiles."""
    image = _draw_room().filter(ImageFilter.GaussianBlur(14))
    draw = ImageDraw.Draw(image)
    _draw_body(draw)
    _draw_head(draw)
    _draw_face(draw)
    _draw_headset(draw)
    file = io.BytesIO()
    # Reduced, so that the edges become smooth.
    image.resize((SIDE // 2, SIDE // 2), Image.Resampling.LANCZOS).save(file, "JPEG", quality=90)
    file.seek(0)
    return file


def _draw_room() -> Image.Image:
    image = Image.new("RGB", (SIDE, SIDE), WALL)
    draw = ImageDraw.Draw(image)
    draw.ellipse((-300, -420, 760, 620), fill=LIGHT)
    draw.rectangle((840, 380, 1200, 410), fill=SHELF)
    for left, colour in ((870, "#b4543f"), (930, "#1c4c73"), (985, "#e7a31f"), (1040, "#14503c")):
        draw.rectangle((left, 200, left + 46, 380), fill=colour)
    draw.rectangle((60, 700, 190, 900), fill="#a8673f")
    for tilt in (-90, -30, 30, 90):
        draw.ellipse((90 + tilt, 440 + abs(tilt), 160 + tilt, 730), fill=PLANT)
    return image


def _draw_body(draw: ImageDraw.ImageDraw) -> None:
    draw.ellipse((345, 250, 855, 960), fill=HAIR)  # behind the neck
    draw.rounded_rectangle((150, 930, 1050, 1500), 230, fill=SWEATER)
    draw.rounded_rectangle((500, 760, 700, 1010), 80, fill=SHADE)
    draw.ellipse((440, 880, 760, 1060), fill=SWEATER_DARK)
    draw.ellipse((478, 850, 722, 1020), fill=SHADE)


def _draw_head(draw: ImageDraw.ImageDraw) -> None:
    draw.ellipse((400, 300, 800, 870), fill=SKIN)
    # Parted on the side, and framing the face.
    draw.chord((365, 205, 835, 760), 180, 360, fill=HAIR)
    draw.ellipse((432, 372, 806, 690), fill=SKIN)
    draw.polygon(
        [(400, 490), (432, 330), (700, 300), (640, 360), (520, 420), (445, 520)], fill=HAIR
    )
    draw.arc((430, 225, 790, 640), 200, 300, fill=HAIR_LIGHT, width=14)
    draw.rounded_rectangle((352, 470, 440, 900), 44, fill=HAIR)
    draw.rounded_rectangle((768, 470, 850, 900), 40, fill=HAIR)


def _draw_face(draw: ImageDraw.ImageDraw) -> None:
    for left in (470, 655):
        draw.arc((left, 495, left + 90, 565), 200, 335, fill=DARK, width=13)
        draw.ellipse((left + 8, 552, left + 82, 602), fill=WHITE)
        draw.ellipse((left + 26, 552, left + 68, 600), fill=HAIR)
        draw.ellipse((left + 48, 560, left + 60, 573), fill=WHITE)
        draw.arc((left + 4, 545, left + 86, 612), 195, 345, fill=DARK, width=9)
        draw.ellipse((left - 6, 636, left + 82, 700), fill=CHEEK)
    draw.arc((575, 560, 640, 690), 20, 115, fill=SHADE, width=12)
    draw.chord((512, 660, 700, 790), 10, 170, fill=LIP)
    draw.chord((530, 672, 682, 766), 12, 168, fill=WHITE)


def _draw_headset(draw: ImageDraw.ImageDraw) -> None:
    draw.arc((338, 190, 862, 860), 180, 360, fill=HEADSET, width=30)
    draw.rounded_rectangle((318, 500, 398, 650), 36, fill=HEADSET)
    draw.rounded_rectangle((802, 500, 882, 650), 36, fill=HEADSET)
    draw.arc((330, 520, 620, 800), 95, 170, fill=HEADSET, width=14)
    draw.rounded_rectangle((462, 780, 522, 816), 18, fill=DARK)
