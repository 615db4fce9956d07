"""How the pages of ``docs/`` become a site: ``make docs``."""

import re
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent

project = "Clases virtuales"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
language = "en"

extensions = ["myst_parser"]
# Headings are link targets, as where the pages are read in the repository itself.
myst_heading_anchors = 3
# The students' pages give their pictures a width, which Markdown cannot.
myst_enable_extensions = ["html_image"]
html_theme = "furo"
html_title = project
html_show_copyright = False
exclude_patterns = ["_build"]

# Files at the top of the repository, where people look for them, that are pages here as well.
ELSEWHERE = {"security": "SECURITY.md", "changelog": "CHANGELOG.md"}
PAGES = {"README.md": "index.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}


def fetch_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Replace the text of such a page with its file, and rewrite links between the two folders."""
    if name in ELSEWHERE:
        text = (ROOT / ELSEWHERE[name]).read_text()
        source[0] = re.sub(r"\]\(docs/", "](", text)
    # At the top of the repository there are files that are no page: those stay as text.
    source[0] = re.sub(r"\]\((?:\.\./)?(\w+\.md)(#[\w-]+)?\)", _lead, source[0])
    source[0] = re.sub(r"\[([^]]+)\]\((?:\.\./)?\.env\.example\)", r"\1", source[0])


def _lead(link: re.Match[str]) -> str:
    page = PAGES.get(link[1])
    return f"]({page}{link[2] or ''})" if page else link[0]


def setup(app: Sphinx) -> None:
    """Tell Sphinx of the hook."""
    app.connect("source-read", fetch_page)
