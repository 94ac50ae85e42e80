"use strict";
// The queue by keyboard. Each key presses a button that is there for the mouse, too.

const entries = () => [...document.querySelectorAll("[data-entry]")];
let current = null;
let at = 0;

function choose(entry) {
  document.querySelector("[data-entry][aria-current]")?.removeAttribute("aria-current");
  current = entry ?? null;
  if (!current) return;
  at = entries().indexOf(current);
  current.setAttribute("aria-current", "true");
  current.focus({ preventScroll: true });
  current.scrollIntoView({ block: "nearest" });
}

function move(by) {
  const all = entries();
  if (!all.length) return;
  const from = current ? all.indexOf(current) : -1;
  choose(all[Math.min(Math.max(from + by, 0), all.length - 1)]);
}

function undo() {
  const done = [...document.querySelectorAll('[data-outcome] [data-key="u"]')];
  const last = done.sort((one, other) => Number(one.dataset.order) - Number(other.dataset.order)).at(-1);
  last?.click();
}

function edit() {
  const part = current?.querySelector(".editing");
  if (!part) return;
  part.open = true;
  part.querySelector("textarea").focus();
}

const keys = {
  j: () => move(1),
  k: () => move(-1),
  a: () => current?.querySelector('[data-key="a"]')?.click(),
  r: () => current?.querySelector('[data-key="r"]')?.click(),
  e: edit,
  u: undo,
  "?": () => document.querySelector("[data-help]").showModal(),
};

function inForm(event) {
  const form = event.target.closest(".editing");
  if (!form) return;
  if (event.key === "Escape") {
    form.open = false;
    choose(form.closest("[data-entry]"));
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.querySelector("[data-saves]").click();
  }
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea, select")) return inForm(event);
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const act = keys[event.key];
  // A key that is held down goes on through the queue; it decides once.
  if (!act || (event.repeat && !"jk".includes(event.key))) return;
  event.preventDefault();
  act();
});

document.addEventListener("focusin", (event) => {
  const entry = event.target.closest("[data-entry]");
  if (entry && entry !== current) {
    document.querySelector("[data-entry][aria-current]")?.removeAttribute("aria-current");
    entry.setAttribute("aria-current", "true");
    current = entry;
    at = entries().indexOf(entry);
  }
});

let decided = 0;
document.addEventListener("htmx:afterSettle", (event) => {
  for (const button of document.querySelectorAll('[data-outcome] [data-key="u"]:not([data-order])')) {
    button.dataset.order = String(++decided);
  }
  // What was taken back stands in its place again.
  if (event.target.matches("[data-entry]")) return choose(event.target);
  if (current?.isConnected) return;
  // What was decided took its entry's place: go on with the one that stands there now.
  const all = entries();
  choose(all[Math.min(at, all.length - 1)]);
});

document.addEventListener("DOMContentLoaded", () => choose(entries()[0]));
