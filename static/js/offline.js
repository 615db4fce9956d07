// Registers the worker that shows our own page without a connection (config/web/offline.py), and
// keeps the next class for that page. Loaded by the pages where most people arrive; the worker
// then serves all pages.

function keepNextClass() {
  const next = document.querySelector("[data-next-class]");
  try {
    if (next) {
      localStorage.setItem("next-class", JSON.stringify(next.dataset));
    } else if (document.querySelector("[data-no-class]")) {
      localStorage.removeItem("next-class");
    }
  } catch {
    // A browser that stores nothing: that page names no class.
  }
}

keepNextClass();

async function register() {
  // Another address after the language is switched, so that the browser fetches that page too.
  const address = `/service-worker.js?${document.documentElement.lang}`;
  try {
    // "all": the browser asks for the worker again when it is an hour old, not with each page.
    await navigator.serviceWorker.register(address, { updateViaCache: "all" });
  } catch {
    // Without it the browser shows a page of its own.
  }
}

// After everything else: the worker fetches files too.
if (navigator.serviceWorker) {
  if (document.readyState === "complete") {
    register();
  } else {
    window.addEventListener("load", register, { once: true });
  }
}
