"use strict";
// How many memories are marked, and all of them at once. The list works without it.

const marks = () => [...document.querySelectorAll('input[name="id"][form="marked"]')];

function count() {
  const all = marks();
  const marked = all.filter((each) => each.checked).length;
  const told = document.querySelector("[data-marked]");
  const whole = document.querySelector("[data-mark-all]");
  if (!told) return;
  told.textContent = marked === 0 ? "None marked" : `${marked} marked`;
  whole.checked = marked > 0 && marked === all.length;
  whole.indeterminate = marked > 0 && marked < all.length;
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-mark-all]")) for (const each of marks()) each.checked = event.target.checked;
  count();
});
document.addEventListener("htmx:afterSettle", (event) => {
  count();
  event.target.querySelector?.("[autofocus]")?.focus();
});
document.addEventListener("DOMContentLoaded", count);
