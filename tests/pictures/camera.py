"""Photographs pages so that the same page gives the same file.

The demo's clock and data are fixed, animations are off, and texts that differ with each run
(references, links, minutes that have passed) are replaced before a picture is taken.
"""

import base64
from datetime import datetime
from pathlib import Path

import segno
from playwright.sync_api import Browser, BrowserContext, Page

NOW = datetime.fromisoformat("2027-03-03T09:30-03:00")  # a Wednesday without a holiday near it
PHONE, DESK = 390, 1280  # CSS pixels
HEIGHTS = {PHONE: 900, DESK: 960}
# The same letters in each run.
FLAGS = ["--disable-lcd-text", "--disable-partial-raster", "--num-raster-threads=1"]
QUALITY = 78
# Patterns of JavaScript, each with the text that replaces its matches.
REPLACEMENTS = [
    (r"\b09:(3\d|4[0-4])\b", "09:30"),  # what the clock says while pictures are taken
    (r"\b09:(4[5-9]|5\d)\b", "09:45"),  # the end of what is held
    (r"\ben 2\d min\b", "en 30 min"),  # until the next class, at 10:00
    (r"\b[a-z]{3}-[a-z]{4}-[a-z]{3}\b", "abc-defg-hij"),
    (r"/clase/[\w.-]{40,}", "/clase/3f2a91c05d644b1e9c07"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "3f2a91c0-5d64-4b1e-9c07-8a1be2d46f03"),
    (r"\b[0-9a-f]{32}\b", "3f2a91c05d644b1e9c078a1be2d46f03"),
    (r"\bPago [0-9a-f]{8}\b", "Pago 3f2a91c0"),
    (r"\bclases[0-9a-v]{20,}\b", "clases3f2a91c05d644b1e9c07"),
    (r"localhost:\d+", "clases.example"),
    (r"\b\d+ (horas?|minutos?|segundos?), \d+ (minutos?|segundos?)\b", "1 hora"),
]
INVITATION = "https://clases.example/inicio/unirse/7K2M9QXA"
QR_CODE = segno.make(INVITATION, micro=False).svg_inline(omitsize=True, svgclass="qr-code")
STEADY = """
*, *::before, *::after { animation: none !important; transition: none !important;
  caret-color: transparent !important; }
html { scroll-behavior: auto !important; scrollbar-width: none !important; }
.skip-link:not(:focus) { visibility: hidden; }
"""
# The pages' policy lets no style element in.
STYLE = """css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
REPLACE = """([replacements, qrCode]) => {
  const rules = replacements.map(([pattern, text]) => [new RegExp(pattern, "g"), text]);
  const change = text => rules.reduce((now, [rule, by]) => now.replace(rule, by), text);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const changed = change(walker.currentNode.data);
    if (changed !== walker.currentNode.data) walker.currentNode.data = changed;
  }
  // As a browser in Argentina writes them; Chromium's own way depends on its language packs.
  const moments = [...document.querySelectorAll("input[type=date], input[type=time]")];
  for (const [field, width] of moments.map(one => [one, one.offsetWidth])) {
    const value = field.value;
    const empty = field.type === "date" ? "dd/mm/aaaa" : "--:--";
    Object.assign(field.style, {width: `${width}px`, boxSizing: "border-box", minWidth: 0});
    field.type = "text";
    field.value = value.split("-").reverse().join("/") || empty;
  }
  for (const field of document.querySelectorAll("input")) {
    if (field.value && change(field.value) !== field.value) field.value = change(field.value);
  }
  for (const timer of document.querySelectorAll("[role=timer]")) timer.textContent = "15 minutos";
  for (const code of document.querySelectorAll(".qr svg")) code.outerHTML = qrCode;
}"""
MARGIN = 16
# Where the lowest text or control ends; pages of the panel are often mostly empty.
CONTENT_END = """() => {
  const leaves = [...document.body.querySelectorAll("*")].filter(
    one => !one.childElementCount && (one.textContent.trim() || one.matches("img, input, use")));
  const ends = leaves.map(one => one.getBoundingClientRect()).filter(box => box.width);
  return Math.min(innerHeight, Math.ceil(Math.max(...ends.map(box => box.bottom))) + 24);
}"""


def open_context(browser: Browser, address: str, *, width: int) -> BrowserContext:
    """Open a window of its own, with the demo's time."""
    context = browser.new_context(
        base_url=address,
        viewport={"width": width, "height": HEIGHTS[width]},
        locale="es-AR",
        timezone_id="America/Argentina/Buenos_Aires",
        reduced_motion="reduce",
    )
    context.clock.set_fixed_time(NOW)
    context.set_default_timeout(15_000)
    return context


def take(page: Page, path: Path, *, only: str = "") -> bool:
    """Write a picture of the page; return True if the file changed.

    only: selector of the part that is shown.
    """
    if only:
        page.locator(only).first.evaluate("element => element.scrollIntoView({block: 'center'})")
    page.evaluate(STYLE, STEADY)
    page.evaluate(REPLACE, [REPLACEMENTS, QR_CODE])
    page.evaluate("document.activeElement?.blur()")
    page.evaluate("document.fonts.ready")
    picture = photograph(page, _find_frame(page, only))
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_bytes() == picture:
        return False
    path.write_bytes(picture)
    return True


def photograph(page: Page, frame: dict[str, float]) -> bytes:
    """Return a WebP file, which Playwright's own screenshots cannot be."""
    session = page.context.new_cdp_session(page)
    answer = session.send(
        "Page.captureScreenshot",
        {
            "format": "webp",
            "quality": QUALITY,
            "clip": {**frame, "scale": 1},
        },
    )
    session.detach()
    return base64.b64decode(answer["data"])


def _find_frame(page: Page, only: str) -> dict[str, float]:
    """Return the part of the window that has content, or the element's."""
    width, height = page.evaluate("[innerWidth, innerHeight]")
    if not only:
        return {"x": 0, "y": 0, "width": width, "height": page.evaluate(CONTENT_END)}
    box = page.locator(only).first.bounding_box()
    if box is None or box["y"] + box["height"] > height:
        raise ValueError(f"{page.url} shows no whole {only}")
    begin = max(0, int(box["y"] + page.evaluate("scrollY")) - MARGIN)  # of the whole page
    return {"x": 0, "y": begin, "width": width, "height": int(box["height"]) + 2 * MARGIN}
