// What Unfold's pages ask of a script, without evaluating anything; and ours: copying a secret, finding a number.
"use strict";

const theme_key = "adminTheme";
const sidebar_key = "sidebarDesktopOpen";

// Before anything is painted; Alpine, which keeps the class from then on, must not find it there already.
if (is_dark()) document.documentElement.classList.add("dark");

document.addEventListener("alpine:init", () => {
  document.documentElement.classList.remove("dark");
  Alpine.data("theme", () => theme());
  Alpine.data("searchForm", () => searchForm());
  Alpine.data("page", () => ({
    activeTab: "general",
    sidebarMobileOpen: false,
    sidebarDesktopOpen: localStorage.getItem(sidebar_key) !== "0",
    // All that Unfold's forms read of it.
    window: { location: { pathname: location.pathname, search: location.search } },
    toggleSidebar() {
      if (matchMedia("(min-width: 80rem)").matches) {
        this.sidebarDesktopOpen = !this.sidebarDesktopOpen;
        localStorage.setItem(sidebar_key, this.sidebarDesktopOpen ? "1" : "0");
      } else {
        this.sidebarMobileOpen = !this.sidebarMobileOpen;
      }
    },
  }));
});

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("[x-on\\:click]:not(a[href], button, input, summary)").forEach(make_button);
  document.querySelectorAll("[data-copy]").forEach(offer_copying);
  document.querySelectorAll("[data-finder]").forEach(offer_finding);
});

function is_dark() {
  const chosen = JSON.parse(localStorage.getItem(theme_key) || '"auto"');
  return chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
}

// What Unfold lets be clicked can be reached and pressed by keyboard, too.
function make_button(element) {
  element.setAttribute("role", "button");
  element.tabIndex = 0;
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    element.click();
  });
}

function offer_copying(button) {
  const secret = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.textContent = (await is_copied(secret)) ? "Copied" : "Press Ctrl+C";
  });
}

// Browsers give pages without TLS no clipboard: there it is selected and copied as by hand.
async function is_copied(element) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      // Not allowed: as without one.
    }
  }
  getSelection().selectAllChildren(element);
  return document.execCommand("copy");
}

function offer_finding(finder) {
  const buttons = [...document.querySelectorAll("button.reset")];
  const wanted = finder.querySelector("#finder");
  const only_changed = finder.querySelector("#finder-changed");

  const field_of = (button) => document.getElementById(button.dataset.element);
  const value_of = (field) => (field.type === "checkbox" ? (field.checked ? "True" : "False") : field.value);
  const differs = (button) => {
    const [held, start] = [value_of(field_of(button)), button.dataset.start];
    return held !== start && (held === "" || start === "" || Number(held) !== Number(start));
  };
  const row_of = (button) => button.closest(".field-row, .form-row, [class*='field-']") || button.parentElement;

  const show = () => {
    const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const button of buttons) {
      button.hidden = !differs(button);
      const row = row_of(button);
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word)) || (only_changed.checked && button.hidden);
    }
    for (const stage of document.querySelectorAll("fieldset.stage")) {
      stage.hidden = [...stage.querySelectorAll("button.reset")].every((button) => row_of(button).hidden);
    }
    finder.querySelector("[data-changed]").textContent = buttons.filter(differs).length;
  };
  const reset = (button) => {
    const field = field_of(button);
    if (field.type === "checkbox") field.checked = button.dataset.start === "True";
    else field.value = button.dataset.start;
  };

  for (const button of buttons) {
    button.addEventListener("click", () => { reset(button); show(); });
  }
  finder.querySelector("[data-reset-all]").addEventListener("click", () => { buttons.forEach(reset); show(); });
  finder.closest("form").addEventListener("input", show);
  show();
}
