"""Names of browsers."""

from django.utils.translation import gettext as _

# In this order: most browsers also claim to be those further down.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def name_browser(user_agent: str) -> str:
    """Return ``Chrome en Android``."""
    browser = _first_known(BROWSERS, user_agent) or _("Navegador desconocido")
    system = _first_known(SYSTEMS, user_agent)
    if not system:
        return browser
    return _("%(browser)s en %(system)s") % {"browser": browser, "system": system}


def _first_known(names: dict[str, str], text: str) -> str:
    return next((name for mark, name in names.items() if mark in text), "")
