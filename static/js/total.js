// Shows the price of the number of people that is chosen, and the one before it if it was lowered.

const SHOWN = [
  ["[data-price]", "[data-total]"],
  ["[data-price-before]", "[data-total-before]"],
];

document.addEventListener("change", ({ target }) => {
  for (const [priced, total] of SHOWN) {
    const price = target.closest("label")?.querySelector(priced);
    if (price) {
      document.querySelector(total).textContent = price.textContent;
    }
  }
});
