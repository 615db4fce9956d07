// Shows the next class on the page without a connection, as offline.js kept it.

const kept = JSON.parse(localStorage.getItem("next-class") ?? "null");
const shown = document.getElementById("next-class");

if (kept && new Date(kept.until) > new Date()) {
  shown.querySelector(".next-class-when").textContent = kept.nextClass;
  const link = shown.querySelector("a");
  link.href = kept.link;
  link.hidden = !kept.link;
  shown.hidden = false;
}
