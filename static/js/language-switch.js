// Keeps what was typed when the language is switched: that loads the page again. The values stay in
// the tab's own storage until then.

const KEY = "typed";
const BUTTONS = new Set(["hidden", "submit", "button"]);

function fields() {
  const all = document.querySelectorAll("main :is(input, select, textarea)");
  return [...all].filter(({ type, name }) => name && !BUTTONS.has(type));
}

function keep() {
  const values = fields().map((one) => (isChoice(one) ? one.checked : one.value));
  sessionStorage.setItem(KEY, JSON.stringify({ path: location.pathname, values }));
}

function isChoice({ type }) {
  return type === "radio" || type === "checkbox";
}

// Also tells the page's other scripts about each change.
function restore({ path, values }) {
  const found = fields();
  if (path !== location.pathname || values.length !== found.length) {
    return;
  }
  for (const [number, field] of found.entries()) {
    const property = isChoice(field) ? "checked" : "value";
    if (field[property] !== values[number]) {
      field[property] = values[number];
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
}

const kept = sessionStorage.getItem(KEY);
if (kept) {
  sessionStorage.removeItem(KEY);
  restore(JSON.parse(kept));
}
document.addEventListener("submit", ({ target }) => {
  if (target.matches(".language-switch, .languages")) {
    keep();
  }
});
