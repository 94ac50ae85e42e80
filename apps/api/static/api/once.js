"use strict";
// A form is sent once, in the console and the admin.

// A second click would do it again before the answer to the first is there, and hide that answer.
document.addEventListener("submit", (event) => {
  const { target } = event;
  if (target.method !== "post" || event.defaultPrevented) return;
  if (target.dataset.sent) event.preventDefault();
  target.dataset.sent = "true";
});

// Who comes back to the page may send it anew.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-sent]")) delete form.dataset.sent;
});
