// Registers the worker that shows our own page without a connection (config/web/offline.py).

async function register() {
  try {
    // "all": the browser asks for the worker again when it is an hour old, not with each page.
    await navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "all" });
  } catch {
    // Without it the browser shows a page of its own.
  }
}

if (navigator.serviceWorker) {
  register();
}
