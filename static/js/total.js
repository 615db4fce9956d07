// Shows the price of the number of people that is chosen, and the one before it if it was lowered.

const SHOWN = [
  ["[data-price]", "[data-total]"],
  ["[data-price-before]", "[data-total-before]"],
];

function showChosen() {
  for (const [priced, total] of SHOWN) {
    const price = document.querySelector(`label:has(:checked) ${priced}`);
    if (price) {
      document.querySelector(total).textContent = price.textContent;
    }
  }
}

document.addEventListener("change", showChosen);
// On a slow connection somebody chooses before this comes, and browsers put former choices back.
showChosen();
