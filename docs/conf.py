"""How the pages of ``docs/`` become a site: ``make docs``."""

import re
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent

project = "Clases de inglés"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
language = "en"

extensions = ["myst_parser"]
# Headings are link targets, as where the pages are read in the repository itself.
myst_heading_anchors = 3
html_theme = "furo"
html_title = project
html_show_copyright = False
exclude_patterns = ["_build"]

# What stands at the top of the repository, where people look for it, and is a page here as well:
# the file, and where its part begins and ends.
ELSEWHERE = {
    "configuration": ("README.md", "## Configuration\n", "\n## "),
    "security": ("SECURITY.md", "", ""),
    "changelog": ("CHANGELOG.md", "", ""),
}
PAGES = {"README.md": "index.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}


def fetch_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Fill a page whose text stands elsewhere, and lead links between the two places."""
    if name in ELSEWHERE:
        file, begin, end = ELSEWHERE[name]
        text = (ROOT / file).read_text()
        part = text.partition(begin)[2] if begin else text
        title = begin.replace("## ", "# ")
        source[0] = title + (part.partition(end)[0] if end else part)
        source[0] = re.sub(r"\]\(docs/", "](", source[0])
    # At the top of the repository there are files that are no page: those stay as text.
    source[0] = re.sub(r"\]\((?:\.\./)?(\w+\.md)(#[\w-]+)?\)", _lead, source[0])
    source[0] = re.sub(r"\[([^]]+)\]\((?:\.\./)?\.env\.example\)", r"\1", source[0])


def _lead(link: re.Match[str]) -> str:
    page = PAGES.get(link[1])
    # The anchors of README.md are those of other pages here.
    anchor = link[2] if link[2] and page != "index.md" else ""
    return f"]({page}{anchor})" if page else link[0]


def setup(app: Sphinx) -> None:
    """Tell Sphinx of the hook."""
    app.connect("source-read", fetch_page)
