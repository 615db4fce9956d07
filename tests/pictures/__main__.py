"""Take every picture, or those whose names are given: ``python -m tests.pictures hoy semana``."""

import base64
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.journeys.chromium import BROWSER_FLAGS, find_chromium
from tests.pictures.camera import DESK, FLAGS, NOW, take
from tests.pictures.scene import Scene
from tests.pictures.shots import SCREENS, SHOTS, Shot
from tests.processes import ROOT
from tests.running_demo import running_demo

FOLDER = ROOT / "docs" / "images"
MOST_BYTES = 4_000_000
TOGETHER = """
<body style="margin: 0; height: 600px; background: #dfe9e3; position: relative; overflow: hidden">
<style>img {{ position: absolute; border-radius: 8px; box-shadow: 0 4px 20px #0005 }}</style>
<img src="data:image/webp;base64,{panel}" style="left: 30px; top: 40px; width: 940px">
<img src="data:image/webp;base64,{home}" style="left: 930px; top: 20px; width: 320px">
"""


def main(names: list[str]) -> int:
    chosen = [shot for shot in SHOTS if not names or shot.name in names]
    program = find_chromium()
    if program is None:
        print("No Chromium on this machine: apt-get install chromium")
        return 1
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as data,
        running_demo(Path(data), "--now", NOW.isoformat()) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=[*BROWSER_FLAGS, *FLAGS])
        scene = Scene(browser, address)
        scene.prepare()
        files = [one for shot in chosen for one in _take_all(scene, shot)]
        files.append(_put_together(scene))
        browser.close()
    return _report(files, time.monotonic() - began)


def _take_all(scene: Scene, shot: Shot) -> list[tuple[Path, bool]]:
    taken = []
    for screen in shot.screens:
        page = scene.open_page(shot.person, width=SCREENS[screen], language=shot.language)
        shot.go(scene, page)
        page.wait_for_load_state("networkidle")
        path = FOLDER / shot.file_name(screen)
        taken.append((path, take(page, path, only=shot.only)))
    return taken


def _put_together(scene: Scene) -> tuple[Path, bool]:
    """Put the README's picture together: the student's home on a phone, the panel on a desk."""
    parts = (FOLDER / "hoy-escritorio.webp", FOLDER / "inicio-telefono.webp")
    panel, home = (base64.b64encode(part.read_bytes()).decode() for part in parts)
    page = scene.browser.new_page(viewport={"width": DESK, "height": 600})
    page.set_content(TOGETHER.format(panel=panel, home=home))
    page.wait_for_load_state("networkidle")
    path = FOLDER / "inicio.webp"
    return path, take(page, path)


def _report(files: list[tuple[Path, bool]], seconds: float) -> int:
    size = sum(path.stat().st_size for path in FOLDER.glob("*.webp"))
    for path, is_changed in files:
        if is_changed:
            print(f"changed: {path.relative_to(ROOT)} ({path.stat().st_size // 1000} KB)")
    changed = sum(is_changed for _, is_changed in files)
    print(f"{len(files)} pictures, {changed} changed, {seconds:.0f} s. All have {size:,} bytes.")
    if size > MOST_BYTES:
        print(f"That is more than {MOST_BYTES:,}.")
    return int(size > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
