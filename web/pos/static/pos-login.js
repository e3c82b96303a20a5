// The logins over the draft: the panel's own forms, sent from here, so that whatever they ask for is asked for here, too.
import {Lost} from "./pos-api.js";
import {close, field, main, open, saying} from "./pos-dialog.js";
import {say} from "./pos-format.js";
import {el} from "./pos-view.js";

const address = "/admin/login", byPIN = address + "/pin", newPIN = byPIN + "/new";

async function ask(path, options) {
  try {
    const answer = await fetch(path, {cache: "no-store", redirect: "manual", ...options});
    return {entered: answer.type === "opaqueredirect", page: new DOMParser().parseFromString(await answer.text(), "text/html")};
  } catch (e) {
    throw new Lost(e.message);
  }
}

const link = () => el("a.button", {href: address + "?next=/vender", target: "_blank"}, say("login.page"));

function way(text, act) {
  const one = el("button", {type: "button"}, text);
  one.addEventListener("click", () => act().catch(saying));
  return one;
}

// login asks for the name and the password, or for a PIN. name is in the form already. entered is called after the login; the dialog stays and says why if it fails. Where the form cannot be read, it leads to the page of the login.
export async function login(entered, name = "") {
  const {page} = await ask(address + "?next=/vender&name=" + encodeURIComponent(name)).catch(() => ({})), form = page?.querySelector("main form");
  if (form) show(form, page, {title: say("login"), text: say("login.text"), send: say("login.open"), ways: () => [way(say("person.pin"), () => person(entered)), link()]}, entered);
  else open(say("login"), [el("p", {}, say("login.text"))], [main(say("login.done")), link()], () => entered());
}

// person changes the cashier by a PIN that was set on this browser. leave ends the session, where there is one, so that another one logs in with the password.
export async function person(entered, leave) {
  const {page} = await ask(byPIN);
  show(page.querySelector("main form"), page, {title: say("person"), send: page.querySelector("[name=pin]") && say("login.open"), ways: () => leave ? [way(say("person.new"), () => setPIN(entered)), way(say("person.password"), () => leave().then(close))] : [way(say("person.password"), () => login(entered))]}, entered);
}

// setPIN asks for a PIN of the cashier on this browser.
async function setPIN(entered) {
  const {page} = await ask(newPIN);
  show(page.querySelector("main form"), page, {title: say("person.new"), send: say("save"), ways: () => []}, entered);
}

// show shows a form of a page with the text of its refusal, and again what the server asks next.
function show(form, page, looks, entered) {
  const refused = page.querySelector("[role=alert], .notice.trouble"), text = refused ? refused.textContent.trim() : looks.text;
  const fields = Array.from(form.querySelectorAll("input:not([type=hidden]), p")).map(input => input.matches("p") ? input.matches("[role=alert] p, .notice") ? "" : el("p", {}, input.textContent) : fieldOf(form, input));
  open(looks.title, [text && el("p", {}, text), ...fields].filter(Boolean), [...(looks.send ? [main(looks.send)] : []), ...looks.ways()], looks.send ? async data => {
    const body = new URLSearchParams(new FormData(form));
    for (const [name, value] of data) body.set(name, value);
    const answer = await ask(form.getAttribute("action"), {method: "POST", body}), next = answer.entered ? null : answer.page.querySelector("main form");
    if (answer.entered) return entered();
    if (!next) throw new Error(say("lost"));
    show(next, answer.page, next.querySelector("[name=pin], [name=password], [name=code]") ? looks : {...looks, send: ""}, entered);
    return false;
  } : null);
}

// fieldOf is a field of the dialog as a page has it.
function fieldOf(form, input) {
  const label = form.querySelector("label[for=" + input.id + "]"), text = label ? label.textContent : input.name;
  const attributes = Object.fromEntries(Array.from(input.attributes, ({name, value}) => [name, value]).filter(([name]) => !name.startsWith("aria-") && name !== "id"));
  return input.type === "radio" ? el("label.check", {}, el("input", attributes), " ", text) : field(text, input.name, attributes);
}
