// A password that is typed twice has to be the same both times.

for (const again of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-same-as]"))) {
  const first = /** @type {HTMLInputElement} */ (document.getElementById(String(again.dataset.sameAs)));
  const compare = () => again.setCustomValidity(again.value === first.value ? "" : "This is not the same password.");
  again.addEventListener("input", compare);
  first.addEventListener("input", compare);
}
