// Shows the buttons with `data-copy`, which copy that text. Without scripts they stay hidden.

const SHOWN_FOR_MS = 2500;

function confirm(button) {
  const label = button.querySelector("span");
  const status = button.parentElement.querySelector("[data-copied]");
  const usual = label.textContent;
  label.textContent = status.dataset.copied;
  status.textContent = status.dataset.copied;
  setTimeout(() => {
    label.textContent = usual;
    status.textContent = "";
  }, SHOWN_FOR_MS);
}

function show(root) {
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.hidden = false;
  }
}

// Browsers offer the clipboard on secure origins only.
if (navigator.clipboard) {
  show(document);
  document.addEventListener("htmx:load", ({ detail }) => show(detail.elt));
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-copy]");
    if (button) {
      await navigator.clipboard.writeText(button.dataset.copy);
      confirm(button);
    }
  });
}
