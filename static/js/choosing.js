// What htmx leaves to the page: where the focus goes after a swap, and what to do when none comes.

function focusOn(id) {
  const element = document.getElementById(id);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:afterSettle", ({ detail }) => {
  const { focus } = detail.requestConfig.elt.dataset;
  if (focus) {
    focusOn(focus);
  } else if (document.activeElement === document.body) {
    focusOn("month-title"); // the arrow that was followed is gone: there is no farther month
  }
});

// The same address as a whole page says what went wrong.
for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, ({ detail }) => {
    window.location.assign(detail.pathInfo.finalRequestPath);
  });
}

// On a slow connection somebody chooses before htmx listens, and browsers put former choices back.
document.addEventListener(
  "htmx:load",
  () => {
    const choices = document.querySelectorAll(".choosing input[type=radio]");
    const other = [...choices].find((choice) => choice.checked && !choice.defaultChecked);
    other?.dispatchEvent(new Event("change", { bubbles: true }));
  },
  { once: true },
);

// Until htmx listens and answers, the times shown are still of the former kind or length.
document.addEventListener("submit", (event) => {
  const kind = document.getElementById("kind");
  if (kind === null || !event.target.matches(".times")) {
    return;
  }
  const sent = new FormData(event.target);
  const chosen = [...new FormData(kind)];
  if (chosen.some(([name, value]) => sent.has(name) && sent.get(name) !== value)) {
    event.preventDefault();
    kind.submit();
  }
});
