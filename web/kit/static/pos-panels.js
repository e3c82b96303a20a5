// The dialogs of the counter. Each is opened by a key, says in one line what went wrong, and keeps what was typed.
import {Ended, Lost, call, now, read} from "./pos-api.js";
import {desk} from "./pos-desk.js";
import {shown} from "./pos-entry.js";
import {clock, money, say, units, when} from "./pos-format.js";
import * as store from "./pos-store.js";
import {at, button, drawChip, el, key} from "./pos-view.js";

const dialog = at("panel"), form = at("panel-form");
let submit = null;

// open shows the dialog. send is called with the dialog's form when it is sent; the dialog closes unless it returns false.
function open(title, content, ways, send) {
  at("panel-title").textContent = title;
  at("panel-body").replaceChildren(...content);
  at("panel-said").textContent = "";
  at("panel-row").replaceChildren(...ways, el("button", {type: "button", "data-close": true}, say("back"), " ", key("Esc")));
  submit = send;
  if (!dialog.open) dialog.showModal();
  (dialog.querySelector("input, select") || dialog.querySelector("[type=submit]") || at("panel-title")).focus();
}

function close() { dialog.close(); }

form.addEventListener("submit", async event => {
  event.preventDefault();
  const main = at("panel-row").querySelector("[type=submit]");
  if (!submit || main && main.disabled) return;
  if (main) main.disabled = true;
  try {
    if (await submit(new FormData(form)) !== false) close();
  } catch (e) {
    at("panel-said").textContent = e instanceof Lost ? say("lost") : e instanceof Ended ? say("ended") : e.message;
  } finally {
    if (main) main.disabled = false;
  }
});
dialog.addEventListener("click", event => {
  if (event.target.closest("[data-close]")) close();
});
dialog.addEventListener("close", () => at("number").focus());

const main = text => el("button.main", {type: "submit"}, text, " ", key("Enter"));
const field = (label, name, attributes = {}) => el("label", {}, label, el("input", {name, autocomplete: "off", ...attributes}));
const facts = rows => el("dl.facts", {}, ...rows.filter(Boolean).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
const newKey = () => crypto.randomUUID ? crypto.randomUUID() : String(Date.now()) + Math.random();

// ---- help

const keys = ["digits", "several", "plus", "F4", "F5", "minus", "F12", "F2", "F3", "F6", "F7", "F8", "F9", "F10", "F11", "Esc"];

export function help() {
  open(say("help"), [el("table.keys", {}, el("tbody", {}, ...keys.map(name => el("tr", {}, el("th", {scope: "row"}, key(say("help." + name + ".key"))), el("td", {}, say("help." + name)))))),
    el("label.check", {}, el("input", {type: "checkbox", name: "sounds", ...(sounds && {checked: true})}), " ", say("sounds"))], [main(say("done"))], data => {
    sounds = data.get("sounds") === "on";
    store.put("kept", {key: "sounds", on: sounds});
  });
}

// ---- draws

export function draws(list, chosen, changed) {
  const hours = new Map();
  for (const draw of list) {
    const hour = Math.floor(Date.parse(draw.draw_time) / 3600000) * 3600000;
    hours.set(hour, [...(hours.get(hour) || []), chipOf(draw, chosen)]);
  }
  open(say("draws"), Array.from(hours, ([hour, chips]) => el("div.hour", {}, el("h3", {}, when(hour, now())), el("div.chips", {}, ...chips))), [main(say("done"))], () => changed());
}

// chipOf is a chip of a draw that chooses it at once.
function chipOf(draw, chosen) {
  const chip = drawChip(draw, chosen.has(draw.id));
  chip.removeAttribute("data-do");
  chip.addEventListener("click", () => {
    const on = chip.getAttribute("aria-pressed") !== "true";
    chip.setAttribute("aria-pressed", String(on));
    if (on) chosen.add(draw.id);
    else chosen.delete(draw.id);
  });
  return chip;
}

export function following(choose) {
  open(say("following"), [field(say("following.count"), "count", {inputmode: "numeric", value: "3", pattern: "[0-9]{1,2}", required: true})], [main(say("done"))],
    data => choose(Math.max(1, Number(data.get("count")))));
}

// ---- customers

export function customer(draft, changed) {
  const found = el("div.found", {role: "listbox", "aria-label": say("customer.found")}), buyer = draft.customer || {name: "", phone: ""};
  const search = field(say("customer.phone"), "phone", {inputmode: "tel", value: buyer.phone}), name = field(say("customer.name"), "name", {value: buyer.name});
  const document = field(say("customer.document"), "id_document", {value: buyer.id_document || ""});
  let asked = 0, id = buyer.id;
  search.addEventListener("input", async event => {
    const text = event.target.value.trim(), turn = ++asked;
    id = undefined;
    if (text.length < 3) return found.replaceChildren();
    const {data} = await read("/sales/customers?page_size=5&search=" + encodeURIComponent(text)).catch(() => ({data: []}));
    if (turn !== asked) return; // a later letter was typed meanwhile
    found.replaceChildren(...data.map(one => {
      const choice = el("button", {type: "button", role: "option"}, one.name, " ", el("span.faint", {}, one.phone));
      choice.addEventListener("click", () => {
        id = one.id;
        for (const [input, value] of [[search, one.phone], [name, one.name], [document, one.id_document || ""]]) input.querySelector("input").value = value;
        found.replaceChildren();
      });
      return choice;
    }));
  });
  const without = button("", say("customer.none"));
  without.addEventListener("click", () => {
    draft.customer = null;
    changed();
    close();
  });
  const bank = el("label.check", {}, el("input", {type: "checkbox", name: "bank", ...(buyer.bank && {checked: true})}), " ", say("customer.bank"));
  open(say("customer"), [search, found, name, document, bank], [main(say("done")), without], data => {
    if (!data.get("phone").trim()) throw new Error(say("customer.wrong"));
    if (!id && !data.get("name").trim()) throw new Error(say("customer.wrong"));
    draft.customer = {id, name: data.get("name").trim(), phone: data.get("phone").trim(), id_document: data.get("id_document").trim(), bank: data.get("bank") === "on"};
    changed();
  });
}

// ---- tickets

// scanOf finds the serial code, or the address of a ticket, at the end of a text: {before, serial}; null if there is none.
export function scanOf(text) {
  const found = /^(.*?)(?:https?:\/\/\S*\/t\/)?([a-z0-9]{12})$/i.exec(text.trim());
  return found && /[a-z]/i.test(found[2]) ? {before: found[1], serial: found[2].toUpperCase()} : null;
}

const serialOf = text => (scanOf(text) || {serial: text.trim().toUpperCase()}).serial;

async function bySerial(serial) {
  const {data} = await read("/sales/tickets?serial_code=" + encodeURIComponent(serial));
  if (!data.length) throw new Error(say("consult.unknown", serial));
  return data[0].id;
}

// scan opens what the serial code of a receipt calls for: its prize, its cancellation, or its state.
export async function scan(serial, print, refresh) {
  open(say("consult"), [el("p", {}, serial)], [], null);
  try {
    await ticket(await bySerial(serial), print, refresh);
  } catch (e) {
    at("panel-said").textContent = e instanceof Lost ? say("lost") : e.message;
  }
}

export function consult(print, refresh = () => {}) {
  open(say("consult"), [field(say("consult.serial"), "serial", {required: true, maxlength: "200", spellcheck: "false", autocapitalize: "characters"})], [main(say("consult"))], async data => {
    await ticket(await bySerial(serialOf(data.get("serial"))), print, refresh);
    return false;
  });
}

// ticket shows a ticket with what can be done with it now.
export async function ticket(id, print, refresh) {
  const {data} = await read("/sales/tickets/" + id), digits = desk.catalogue.currency.digits, sum = decimal => money(units(decimal, digits), digits);
  const inTime = data.status === "pending" && Date.parse(data.cancel_before) > now(), ways = [];
  const way = (text, act, attributes = {}) => {
    const one = el("button", {type: "button", ...attributes}, text);
    one.addEventListener("click", act);
    ways.push(one);
  };
  if (data.status === "won") way(say("pay"), () => payTicket(data, refresh), {class: "main"});
  way(say("print"), () => {
    close();
    print(id);
  });
  if (inTime) way(say("cancel"), () => cancel({...data, shown: sum(data.total)}, refresh), {class: "grave"});
  const lines = data.items.flatMap(group => group.draws.flatMap(draw => [el("h3", {}, group.game.name + " · " + clock(draw.draw_time)),
    ...draw.lines.map(line => el("p.line", {}, el("b", {}, (Array.isArray(line.selection) ? line.selection : [line.selection]).map(code => shown(String(code))).join(" ")), " ", line.name, el("span.number", {}, sum(line.amount))))]));
  open(data.serial_code, [facts([[say("state"), say("status." + data.status)], [say("total"), sum(data.total)], [say("sold.at"), clock(data.created_at)]]), ...lines], ways, null);
}

export function cancel(one, refresh) {
  if (!one) return;
  const operation = newKey();
  open(say("cancel.title", one.serial_code), [el("p", {}, say("cancel.ask", one.shown))], [el("button.grave", {type: "submit"}, say("cancel.do"))], async () => {
    await call("POST", "/sales/tickets/" + one.id + "/cancel", {key: operation});
    refresh();
  });
}

// ---- prizes

export function pay(refresh) {
  open(say("pay"), [field(say("consult.serial"), "serial", {required: true, maxlength: "200", spellcheck: "false"})], [main(say("next"))], async data => {
    const id = await bySerial(serialOf(data.get("serial")));
    payTicket((await read("/sales/tickets/" + id)).data, refresh);
    return false;
  });
}

async function payTicket(one, refresh) {
  const operation = newKey(), {data: prize} = await read("/prizes/" + one.id), digits = desk.catalogue.currency.digits;
  const due = money(units(prize.amount || prize.total || "0", digits), digits);
  open(say("pay.title", one.serial_code), [facts([[say("state"), say("status." + one.status)], [say("pay.due"), due]]),
    field(say("pay.code"), "code", {required: true, inputmode: "numeric", maxlength: "20"})], [main(say("pay.do", due))], async data => {
    await call("POST", "/prizes/" + one.id + "/pay", {key: operation, body: {validation_code: data.get("code").trim()}});
    refresh();
  });
}

// ---- the day

export async function day() {
  const {data} = await read("/sales/daily-closes?status=open&entityId=" + desk.catalogue.entity.id), digits = desk.catalogue.currency.digits;
  const [one] = data.filter(each => each.currency === desk.catalogue.currency.code);
  const link = el("a.button.main", {href: one ? "/admin/closes/" + one.id : "/admin/closes"}, say("close.count"));
  open(say("close"), one ? [facts([[say("close.day"), one.day], [say("close.expected"), money(units(one.expected_cash || "0", digits), digits)]])] : [el("p", {}, say("close.none"))], [link], null);
}

// ---- the session

export function login(entered) {
  const link = el("a.button.main", {href: "/admin/login?next=/vender", target: "_blank"}, say("login.open"));
  open(say("login"), [el("p", {}, say("login.text"))], [link, main(say("login.done"))], () => entered());
}

// ---- sounds

let sounds = true;
store.get("kept", "sounds").then(kept => {
  if (kept) sounds = kept.on;
}, () => {});

let speaker = null;

// sound tells sold from refused: one high tone, or two low ones.
export function sound(kind) {
  if (!sounds || !window.AudioContext) return;
  try {
    speaker = speaker || new AudioContext();
    const tones = kind === "sold" ? [[880, 0]] : [[220, 0], [220, 0.18]];
    for (const [pitch, after] of tones) {
      const tone = speaker.createOscillator(), volume = speaker.createGain();
      tone.frequency.value = pitch;
      volume.gain.value = 0.08;
      tone.connect(volume).connect(speaker.destination);
      tone.start(speaker.currentTime + after);
      tone.stop(speaker.currentTime + after + 0.12);
    }
  } catch { /* a browser without sound */ }
}
