"""How a headless Chromium is found and started."""

import shutil

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# A Debian package: without windows, at three quarters of the CPU.
HEADLESS_SHELL = "chromium-headless-shell"
# Chromium heeds the last list only, so Playwright's own is said again.
FEATURES_OFF = [
    # Two pages that the address bar keeps ready in each window: more work than a page under test.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "TcpPortRandomizationWin",
    "ThirdPartyStoragePartitioning",
]
BROWSER_FLAGS = [
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium(*preferred: str) -> str | None:
    """Return the path of a Chromium, None if the machine has none. preferred: other programs."""
    return next(filter(None, map(shutil.which, (*preferred, *PROGRAMS))), None)
