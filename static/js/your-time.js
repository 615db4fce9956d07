// Adds the visitor's own time to times in Argentina, for visitors whose clocks show another one.

const clock = new Intl.DateTimeFormat(document.documentElement.lang, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const weekday = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "short" });
const label = document.body.dataset.yourTime;

function isElsewhere(element) {
  const [, sign, hours, minutes] = element.dateTime.match(/([+-])(\d\d):(\d\d)$/);
  const offset = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  return offset !== -new Date(element.dateTime).getTimezoneOffset();
}

// The clock there; with its day when that is another one than in Argentina.
function tell(element) {
  const moment = new Date(element.dateTime);
  const isSameDay = moment.getDate() === Number(element.dateTime.slice(8, 10));
  return isSameDay ? clock.format(moment) : `${weekday.format(moment)}\u00a0${clock.format(moment)}`;
}

function addTo(box) {
  const times = [...box.querySelectorAll("time")];
  if (!times.some(isElsewhere) || box.querySelector(".your-time")) {
    return;
  }
  const note = document.createElement("span");
  note.className = "your-time";
  note.textContent = `${label}: ${times.map(tell).join("–")}`;
  box.append(" ", note);
}

function addAll(root) {
  for (const box of root.querySelectorAll("[data-your-time]")) {
    addTo(box);
  }
}

addAll(document.body);
document.addEventListener("htmx:load", ({ detail }) => addAll(detail.elt));
