"""Static files as production serves them."""

from typing import Any

from django.core.files.base import ContentFile
from rcssmin import cssmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

IMPORTS = [(r"""(?P<matched>import "(?P<url>\./.*?)";)""", 'import "%(url)s";')]


class MinifiedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """WhiteNoise's storage: style sheets are minified, scripts import each other's hashed files."""

    # Django's own switch for imports reads the scripts of packages too, and fails at htmx's.
    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", IMPORTS))

    def _save(self, name: str, content: Any) -> Any:
        if name.endswith(".css"):
            sheet = b"".join(content.chunks())
            content = ContentFile(cssmin(sheet, keep_bang_comments=True))
        return super()._save(name, content)
