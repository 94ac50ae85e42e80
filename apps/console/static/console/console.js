"use strict";
// What every page shares: parts that stay fresh, questions before something is taken away, and copying.

const paused = () => sessionStorage.getItem("paused") === "true";

function isBusy(part) {
  const held = document.activeElement;
  return part.contains(held) && held !== part || document.querySelector("dialog[open]") !== null
    || part.querySelector("[data-editing], input:checked") !== null;
}

function showPause() {
  for (const button of document.querySelectorAll("[data-pause]")) {
    button.setAttribute("aria-pressed", String(paused()));
    button.textContent = paused() ? "Go on" : "Pause";
  }
}

function refresh() {
  const part = document.querySelector("[data-refresh]");
  if (!part) return;
  if (!paused() && !document.hidden && !isBusy(part)) htmx.trigger(part, "refresh");
  setTimeout(refresh, Number(part.dataset.refresh) * 1000);
}

function ask(question, isDangerous) {
  const dialog = document.createElement("dialog");
  dialog.className = "question";
  dialog.innerHTML = '<form method="dialog"><p></p><menu><button value="no">Cancel</button>'
    + '<button value="yes">Yes</button></menu></form>';
  dialog.querySelector("p").textContent = question;
  dialog.querySelector('[value="yes"]').className = isDangerous ? "danger" : "primary";
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((answer) => dialog.addEventListener("close", () => {
    dialog.remove();
    answer(dialog.returnValue === "yes");
  }));
}

document.addEventListener("click", (event) => {
  const pause = event.target.closest("[data-pause]");
  if (pause) {
    sessionStorage.setItem("paused", String(!paused()));
    showPause();
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    navigator.clipboard.writeText(copy.dataset.copy).then(() => { copy.textContent = "Copied"; });
  }
});

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (!question || event.submitter.dataset.asked) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const { submitter, target } = event;
  ask(question, submitter.classList.contains("danger")).then((agreed) => {
    if (!agreed) return;
    submitter.dataset.asked = "true";
    target.requestSubmit(submitter);
    delete submitter.dataset.asked;
  });
}, true);

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submits]")) event.target.form.requestSubmit();
});

document.addEventListener("DOMContentLoaded", () => {
  showPause();
  const part = document.querySelector("[data-refresh]");
  if (part) setTimeout(refresh, Number(part.dataset.refresh) * 1000);
});
