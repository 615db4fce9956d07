// Loads htmx once the page is there: pages work without it, and on a slow connection its 15 kB
// would delay what the first paint waits for.

addEventListener("load", () => {
  const script = document.createElement("script");
  script.src = document.querySelector("meta[name=htmx-config]").dataset.script;
  document.head.append(script);
});

// Until then, going back to an address that htmx made asks the server too.
addEventListener("popstate", ({ state }) => {
  if (state?.htmx && !window.htmx) {
    window.location.reload();
  }
});
