// Shows the price of the number of people that is chosen, and the one before it if it was lowered.

const SHOWN = [
  ["[data-price]", "[data-total]"],
  ["[data-price-before]", "[data-total-before]"],
];

function showChosen() {
  const chosen = document.querySelector(".pill :checked")?.closest(".pill");
  for (const [priced, total] of SHOWN) {
    const price = chosen?.querySelector(priced);
    if (price) {
      document.querySelector(total).textContent = price.textContent;
    }
  }
}

document.addEventListener("change", showChosen);
// On a slow connection a student may choose before this script runs. Browsers restore earlier choices.
showChosen();
