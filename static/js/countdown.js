// Counts the seconds down beside the time that the page says in words.

function show(box, seconds) {
  const clock = box.querySelector("[data-countdown]");
  if (!clock) {
    return; // days ahead
  }
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  if (seconds >= 3600) {
    parts.unshift(Math.floor(seconds / 3600));
  }
  clock.textContent = parts
    .map((part, place) => (place ? String(part).padStart(2, "0") : part))
    .join(":");
}

function end() {
  for (const element of document.querySelectorAll("[data-while-kept]")) {
    element.hidden = true;
  }
  for (const element of document.querySelectorAll("[data-when-over]")) {
    element.hidden = false;
  }
}

// Counted from when the page came: the person's own clock may be wrong.
for (const box of document.querySelectorAll("[data-seconds-left]")) {
  const over = performance.now() + Number(box.dataset.secondsLeft) * 1000;
  const timer = setInterval(() => {
    const seconds = Math.ceil((over - performance.now()) / 1000);
    if (seconds > 0) {
      show(box, seconds);
    } else {
      clearInterval(timer);
      end();
    }
  }, 1000);
}
