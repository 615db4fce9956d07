"""axe looks at a page, on a phone and at a desk, in light and dark colours."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.ways import DESK, PHONE

AXE = (Path(__file__).parents[1] / "vendor" / "axe-4.14.1" / "axe.min.js").read_text()
# Colours that fade into the other scheme would be read half-way. What axe has found to be well
# need not be described. Only a rule that is off reads the style sheets, and the content policy
# forbids how axe reads one that imports another.
RUN = """document.getAnimations().forEach(one => one.finish());
    axe.run({ preload: false, resultTypes: ["violations"] }).then(
    ({ violations }) => violations.flatMap(
    ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)))"""

# Width and colour scheme. Languages are the pages' own: a test reads each of them.
LOOKS = [(width, colors) for width in (PHONE, DESK) for colors in ("light", "dark")]
ONE_LOOK = [(PHONE, "light")]


def violations(page: Page, looks: list[tuple[int, str]] = LOOKS) -> list[str]:
    """List what axe finds on the page as it is, in each of the looks.

    axe tries styles that the content policy forbids: such a page must not watch its console.
    """
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.evaluate(f"{AXE}; 0")
    size = page.viewport_size
    assert size is not None
    found = []
    for width, colors in looks:
        page.set_viewport_size({**size, "width": width})
        page.emulate_media(color_scheme=colors, reduced_motion="reduce")
        found += [f"{page.url} {width} {colors} {one}" for one in page.evaluate(RUN)]
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="light")
    return found
