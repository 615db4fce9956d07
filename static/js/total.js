// Shows the price of the number of people that is chosen.

document.addEventListener("change", ({ target }) => {
  const price = target.closest("label")?.querySelector("[data-price]");
  if (price) {
    document.querySelector("[data-total]").textContent = price.textContent;
  }
});
