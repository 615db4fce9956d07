// Loads htmx once the page is there: pages work without it, and on a slow connection its 15 kB
// would delay what the first paint waits for.

addEventListener("load", () => {
  const script = document.createElement("script");
  script.src = document.querySelector("meta[name=htmx-config]").dataset.script;
  document.head.append(script);
});
