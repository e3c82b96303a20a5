// The one dialog of the counter. It says in one line what went wrong, and keeps what was typed.
import {Lost} from "./pos-api.js";
import {say} from "./pos-format.js";
import {guardEnter} from "./pos-guard.js";
import {at, el, key} from "./pos-view.js";

const dialog = at("panel"), form = at("panel-form");
let submit = null, before = null;

// closing is the send of a dialog that only says something: its one button closes it, as Esc does.
export const closing = () => {};

// open shows the dialog. send is called with the dialog's form when it is sent; the dialog closes unless it returns false.
export function open(title, content, ways, send) {
  at("panel-title").textContent = title;
  at("panel-body").replaceChildren(...content);
  // a text that is higher than the screen is scrolled by keys
  if (at("panel-body").querySelector("a, button, input, select, textarea")) at("panel-body").removeAttribute("tabindex");
  else at("panel-body").tabIndex = 0;
  at("panel-said").textContent = "";
  at("panel-row").replaceChildren(...ways, ...(send === closing ? [] : [el("button", {type: "button", "data-close": true}, say("back"), " ", key("Esc"))]));
  submit = send;
  guardEnter();
  if (!dialog.open) {
    before = document.activeElement;
    dialog.showModal();
  }
  (dialog.querySelector("[autofocus]") || dialog.querySelector("input, select, textarea") || dialog.querySelector(grave() ? "[data-close]" : "[type=submit]") || at("panel-title")).focus();
}

// close gives the focus back at once: the event of the dialog comes later, when the cashier may have typed on.
export function close() {
  dialog.close();
  refocus();
}

// grave is the answer that cannot be taken back. It has a key of its own: Enter, which answers other dialogs, goes back.
const grave = () => dialog.querySelector("[type=submit].grave");

function refocus() {
  if (!before) return;
  const field = before.matches("input") && before.isConnected ? before : at("number");
  before = null;
  // Chromium focuses the field while it is inert, and then inserts no characters into it; what is laid out is not inert any more
  field.getBoundingClientRect();
  field.blur();
  field.focus();
}

// saying says in the dialog why something did not work.
export function saying(e) { at("panel-said").textContent = e instanceof Lost ? say("lost") : e.message; }

// Firefox before 98, Safari before 15.4
if (!dialog.showModal) {
  dialog.showModal = () => dialog.setAttribute("open", "");
  dialog.close = () => {
    dialog.removeAttribute("open");
    dialog.dispatchEvent(new Event("close"));
  };
  Object.defineProperty(dialog, "open", {get: () => dialog.hasAttribute("open")});
}
// the browser's own Esc would give the focus back with the event
document.addEventListener("keydown", event => {
  if (!dialog.open) return;
  if (event.key === "Delete" && !event.repeat && grave()) grave().click();
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
});

form.addEventListener("submit", async event => {
  event.preventDefault();
  const main = at("panel-row").querySelector("[type=submit]");
  if (!submit || main?.disabled) return;
  if (main) main.disabled = true;
  try {
    if (await submit(new FormData(form)) !== false) close();
  } catch (e) {
    saying(e);
  } finally {
    if (main) main.disabled = false;
  }
});
dialog.addEventListener("click", event => {
  if (event.target.closest("[data-close]")) close();
});
dialog.addEventListener("close", () => {
  // something else was opened since
  if (dialog.open) return;
  at("panel-body").replaceChildren();
  refocus();
});

export const main = text => el("button.main", {type: "submit"}, text, " ", key("Enter"));
export const field = (label, name, attributes = {}) => el("label", {}, label, el("input", {name, autocomplete: "off", ...attributes}));
export const facts = rows => el("dl.facts", {}, ...rows.filter(Boolean).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
