// Renews the view beside a form while its reader types. Without scripts a button does.

const form = document.querySelector("form[data-live-view]");
const frame = document.querySelector("iframe[name=view-frame]");
const PAUSE_MS = 400;

let pause;
let latest = 0;

async function renew() {
  // On a phone the frame is hidden: the page opens in a tab of its own.
  if (!frame.checkVisibility()) {
    return;
  }
  const number = ++latest;
  const fields = [...new FormData(form)].filter(([, value]) => typeof value === "string");
  const answer = await fetch(form.dataset.liveView, {
    method: "POST",
    body: new URLSearchParams(fields),
  });
  const text = await answer.text();
  if (answer.ok && number === latest) {
    const page = new DOMParser().parseFromString(text, "text/html");
    // Not the whole document: it keeps its styles and where it was scrolled to.
    frame.contentDocument.querySelector("main").replaceWith(page.querySelector("main"));
  }
}

// Its links would leave the view.
function keep() {
  frame.contentDocument.addEventListener("click", (event) => event.preventDefault());
}

form.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(renew, PAUSE_MS);
});
frame.addEventListener("load", keep);
document.querySelector("[data-view-button]").hidden = true;
