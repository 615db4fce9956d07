"""``make pictures``: take the pictures of the docs from a running demo, or those that are named.

``python -m tests.pictures hoy semana`` takes two of them. The demo's clock and data are the same in
each run, but its references and links are not: commit the pictures whose page has changed.
"""

import base64
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.journeys.chromium import BROWSER_FLAGS, find_chromium
from tests.pictures.shots import NOW, SHOTS, Scene
from tests.processes import ROOT
from tests.running_demo import running_demo

STEADY = """
*, *::before, *::after { animation: none !important; transition: none !important;
  caret-color: transparent !important; }
html { scroll-behavior: auto !important; scrollbar-width: none !important; }
.skip-link:not(:focus) { visibility: hidden; }
"""
# The pages' policy lets no style element in. A reader of the docs should see no local address.
PREPARE = """css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const change = text => text.replace(/localhost:\\d+/g, "clases.example");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) walker.currentNode.data = change(walker.currentNode.data);
  for (const field of document.querySelectorAll("input[type=text], input[type=url]")) {
    field.value = change(field.value);
  }
  document.activeElement?.blur();
}"""
# Where the lowest text or control ends; pages of the panel are often mostly empty.
CONTENT_END = """() => {
  const leaves = [...document.body.querySelectorAll("*")].filter(
    one => !one.childElementCount && (one.textContent.trim() || one.matches("img, input, use")));
  const ends = leaves.map(one => one.getBoundingClientRect()).filter(box => box.width);
  return Math.min(innerHeight, Math.ceil(Math.max(...ends.map(box => box.bottom))) + 24);
}"""


def take(page: Page, path: Path, only: str = "") -> None:
    """Write a WebP file, which Playwright's own screenshots cannot be."""
    if only:
        page.locator(only).first.evaluate("element => element.scrollIntoView({block: 'center'})")
    page.evaluate(PREPARE, STEADY)
    page.evaluate("document.fonts.ready")
    width, height = page.evaluate("[innerWidth, innerHeight]")
    clip = {"x": 0, "y": 0, "width": width, "height": page.evaluate(CONTENT_END), "scale": 1}
    if only:
        box = page.locator(only).first.bounding_box() or {"y": 0, "height": height}
        top = max(0, int(box["y"] + page.evaluate("scrollY")) - 16)  # of the whole page
        clip |= {"y": top, "height": int(box["height"]) + 32}
    session = page.context.new_cdp_session(page)
    options = {"format": "webp", "quality": 78, "clip": clip}
    path.write_bytes(base64.b64decode(session.send("Page.captureScreenshot", options)["data"]))
    session.detach()
    print(f"{path.relative_to(ROOT)} ({path.stat().st_size // 1000} KB)")


def main(names: list[str]) -> int:
    program = find_chromium()
    if program is None:
        print("No Chromium on this machine: apt-get install chromium")
        return 1
    with (
        tempfile.TemporaryDirectory() as data,
        running_demo(Path(data), "--now", NOW.isoformat()) as address,
        sync_playwright() as playwright,
    ):
        flags = [*BROWSER_FLAGS, "--disable-lcd-text"]
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        scene = Scene(browser, address)
        scene.prepare()
        for shot in SHOTS:
            for screen in shot.screens if not names or shot.name in names else ():
                page = scene.open_page(shot.person, screen, shot.language)
                shot.go(scene, page)
                page.wait_for_load_state("networkidle")
                take(page, shot.file(screen), shot.only)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
