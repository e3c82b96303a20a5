// The login over the draft: the panel's own form, sent from here, so that whatever it asks for is asked for here, too.
import {Lost} from "./pos-api.js";
import {field, main, open} from "./pos-dialog.js";
import {say} from "./pos-format.js";
import {el} from "./pos-view.js";

const address = "/admin/login";

async function ask(options) {
  try {
    const answer = await fetch(address, {cache: "no-store", redirect: "manual", ...options});
    return {entered: answer.type === "opaqueredirect", page: new DOMParser().parseFromString(await answer.text(), "text/html")};
  } catch (e) {
    throw new Lost(e.message);
  }
}

// login asks for the name and the password. entered is called after the login; the dialog stays and says why if it fails. Where the form cannot be read, it leads to the page of the login.
export async function login(entered) {
  const link = el("a.button", {href: address + "?next=/vender", target: "_blank"}, say("login.page"));
  const {page} = await ask().catch(() => ({}));
  const form = page && page.querySelector("form");
  if (form) show(form, page, link, entered);
  else open(say("login"), [el("p", {}, say("login.text"))], [main(say("login.done")), link], () => entered());
}

function show(form, page, link, entered) {
  const refused = page.querySelector("[role=alert], .notice.trouble"), fields = Array.from(form.querySelectorAll("input:not([type=hidden])")).map(input => {
    const label = form.querySelector("label[for=" + input.id + "]");
    return field(label ? label.textContent : input.name, input.name, Object.fromEntries(Array.from(input.attributes, ({name, value}) => [name, value]).filter(([name]) => !name.startsWith("aria-") && name !== "id")));
  });
  open(say("login"), [el("p", {}, refused ? refused.textContent.trim() : say("login.text")), ...fields], [main(say("login.open")), link], async data => {
    const body = new URLSearchParams(new FormData(form));
    for (const [name, value] of data) body.set(name, value);
    const answer = await ask({method: "POST", body}), next = answer.entered ? null : answer.page.querySelector("form");
    if (answer.entered) return entered();
    if (!next) throw new Error(say("lost"));
    show(next, answer.page, link, entered);
    return false;
  });
}
