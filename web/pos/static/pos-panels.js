// The dialogs of the counter. Each is opened by a key, says in one line what went wrong, and keeps what was typed.
import {Refused, call, read} from "./pos-api.js";
import {amountOf, desk} from "./pos-desk.js";
import {close, facts, field, main, open, saying} from "./pos-dialog.js";
import {clock, dayText, decimal, money, say, typedAmount, units} from "./pos-format.js";
import * as store from "./pos-store.js";
import {newKey} from "./pos-ticket.js";
import {at, button, el, key} from "./pos-view.js";

const digits = () => desk.catalogue.currency.digits;

// ---- help

const keys = ["digits", "several", "names", "random", "list", "plus", "F4", "F5", "minus", "End", "F12", "means", "F2", "F3", "F6", "F7", "results", "F8", "F9", "F10", "F11", "Esc"];

export function help() {
  open(say("help"), [el("table.keys", {}, el("tbody", {}, ...keys.map(name => el("tr", {}, el("th", {scope: "row"}, key(say("help." + name + ".key"))), el("td", {}, say("help." + name)))))),
    el("label.check", {}, el("input", {type: "checkbox", name: "sounds", ...(sounds && {checked: true})}), " ", say("sounds")),
    el("a", {href: "/docs/guide/counter", target: "_blank"}, say("help.guide")), el("br"), el("a", {href: "/vender/help", target: "_blank"}, say("help.page"))], [main(say("done")), button("printer", say("till"))], data => {
    sounds = data.get("sounds") === "on";
    store.put("kept", {key: "sounds", on: sounds});
  });
}

// ---- draws

export function following(choose) {
  open(say("following"), [field(say("following.count"), "count", {inputmode: "numeric", value: "3", pattern: "[0-9]{1,2}", required: true})], [main(say("done"))],
    data => choose(Math.max(1, Number(data.get("count")))));
}

// ---- questions

export function cancel(one, refresh) {
  if (!one) return;
  const operation = newKey();
  sure(say("cancel.title", one.serial_code), say("cancel.ask", one.shown), say("cancel.do"), async () => {
    await call("POST", "/sales/tickets/" + one.id + "/cancel", {key: operation});
    refresh();
  });
}

// sure asks before something that cannot be taken back.
export function sure(title, text, name, act) { open(title, [el("p", {}, text)], [el("button.grave", {type: "submit"}, name)], act); }

// barred says that the user of the session cannot sell, and what can be done instead: the panel, or another user.
export function barred(text, leave) {
  const other = el("button", {type: "button"}, say("barred.leave"));
  other.addEventListener("click", () => leave().then(close, saying));
  open(say("barred"), [el("p", {}, text), el("p", {}, say("barred.text"))], [main(say("barred.panel")), other], () => location.assign("/admin"));
}

// ---- the day

// today is the open day of the drawer; undefined without one.
export const today = async () => (await read("/sales/daily-closes?status=open&" + ofEntity())).data[0];

const ofEntity = () => "entityId=" + desk.catalogue.entity.id + "&currency=" + desk.catalogue.currency.code;

// day counts the drawer and closes the open day. print prints the close.
export async function day(print, refresh) {
  const one = await today();
  if (!one) return openDay(print, refresh);
  const operation = newKey(), handover = newKey(), sums = el("p.sums", {role: "status"});
  const counts = one.denominations.map(unit => field(amountOf(unit) + " ×", "n" + unit, {inputmode: "numeric", pattern: "[0-9]{0,7}", "data-unit": String(units(unit, digits()))}));
  const others = (one.means || []).map((row, i) => field(say("means." + row.means, row.currency) + ", " + say("close.due") + " " + amountOf(row.expected, row.currency), "means" + i, {inputmode: "decimal"}));
  const password = field(say("close.password"), "password", {type: "password"});
  password.hidden = true;
  const body = el("div.close", {}, facts([[say("close.day"), dayText(one.day)], [say("close.sales"), amountOf(one.sales)], [say("close.prizes"), amountOf(one.prizes)],
    [say("close.expected"), amountOf(one.expected_cash)]]), el("div.counts", {}, ...counts), field(say("close.other"), "other", {inputmode: "decimal"}), ...others, sums, field(say("close.note"), "note", {maxlength: "500"}), password);
  body.addEventListener("input", () => showSums(body, sums, one));
  const done = guarded(main(say("close.do")));
  body.addEventListener("keydown", event => {
    const fields = Array.from(body.querySelectorAll("input")), next = fields[fields.indexOf(event.target) + 1];
    if (event.key !== "Enter") return;
    event.preventDefault();
    // a key that is held
    if (event.repeat) return;
    if (next && !next.closest("[hidden]")) next.focus();
    else done.focus();
  });
  const give = el("button", {type: "button"}, say("handover.give"));
  give.addEventListener("click", () => handOver(one, new FormData(at("panel-form")), handover, refresh).catch(saying));
  open(say("close"), [body], [done, give], data => closeDay(one, data, operation, password, print, refresh));
  showSums(body, sums, one);
}

// guarded is a button that a key does not press which is held since the last field.
function guarded(button) {
  button.addEventListener("keydown", event => event.repeat && event.preventDefault());
  return button;
}

// openDay opens a day with the cash that is in the drawer.
function openDay(print, refresh) {
  const operation = newKey(), {currency, entity} = desk.catalogue;
  open(say("close.begin"), [el("p", {}, say("close.none")), field(say("close.opening"), "opening", {inputmode: "decimal"})], [main(say("close.begin"))], async data => {
    await call("POST", "/sales/daily-closes", {key: operation, body: {entityId: entity.id, currency: currency.code, opening_cash: decimal(amountIn(data.get("opening"), digits()), digits())}});
    await day(print, refresh);
    return false;
  });
}

function counted(body) {
  let sum = typedAmount(body.querySelector("[name=other]").value, digits());
  for (const input of body.querySelectorAll("[data-unit]")) sum += Number(input.value || 0) * Number(input.dataset.unit);
  return sum;
}

function showSums(body, sums, day) {
  const sum = counted(body);
  sums.textContent = say("close.sums", money(sum, digits()), money(sum - units(day.expected_cash, digits()), digits()));
}

// drawerOf is the counted drawer as the API takes it.
function drawerOf(day, data) {
  const counts = day.denominations.map(one => ({denomination: one, count: Number(data.get("n" + one) || 0)})).filter(one => one.count > 0);
  const other = amountIn(data.get("other") || "", digits()), means = (day.means || []).map(({means, currency}, i) => ({means, currency, amount: meansOf(data.get("means" + i) || "", currency)})).filter(one => one.amount);
  return {cash: {counts, ...(other && {other: decimal(other, digits())}), ...(means.length && {means})}, ...(data.get("note") && {note: data.get("note")})};
}

// meansOf is what was counted of another means, as the API takes it; "" where nothing was typed. Zero is counted, too.
function meansOf(text, code) {
  const of = desk.catalogue.currencies.find(one => one.code === code) || desk.catalogue.currency;
  return text.trim() ? decimal(amountIn(text, of.digits), of.digits) : "";
}

// amountIn reads an amount of the drawer, zero too. Errors: the text is no amount.
function amountIn(text, digits) {
  const amount = typedAmount(text, digits);
  if (!amount && text.trim() && !/^0+([.,]0+)?$/.test(text.trim())) throw new Error(say("wrong.amount"));
  return amount;
}

// handOver gives the counted drawer to the next cashier, and ends the session of this one.
async function handOver(day, data, operation, refresh) {
  const {body: {data: given}} = await call("POST", dayPath(day.id) + "/handovers", {key: operation, body: drawerOf(day, data)});
  open(say("handover.given"), [sumsOf(given), el("p", {}, say("handover.next"))], [main(say("handover.leave"))], async () => {
    await call("POST", "/auth/logout");
    refresh();
  });
}

const dayPath = id => "/sales/daily-closes/" + id;

const sumsOf = one => facts([[say("handover.by"), one.given_by_name + " · " + clock(one.given_at)], [say("close.expected"), amountOf(one.expected_cash)],
  [say("handover.counted"), amountOf(one.counted_cash)], [say("handover.variance"), amountOf(one.variance)], ...(one.note ? [[say("close.note"), one.note]] : [])]);

// takeOver asks the cashier to take the drawer that another one has handed over, if one waits.
export async function takeOver(user) {
  const one = await today();
  const waiting = one && (await read(dayPath(one.id) + "/handovers")).data.find(other => !other.taken_at && other.given_by !== user);
  if (!waiting || at("panel").open) return;
  open(say("handover.take"), [sumsOf(waiting), el("p", {}, say("handover.check"))], [main(say("handover.taken"))], async () => {
    await call("POST", dayPath(one.id) + "/handovers/" + waiting.id + "/take");
  });
  // whoever types meanwhile takes nothing by the next Enter
  at("panel-title").focus();
}

// closeDay closes the day once: a repeat has the same key. It asks for the password where the last confirmation is too old.
async function closeDay(day, data, operation, password, print, refresh) {
  const body = drawerOf(day, data);
  let closed;
  try {
    if (data.get("password")) await call("POST", "/auth/confirm", {body: {password: data.get("password")}});
    closed = (await call("POST", dayPath(day.id) + "/close", {key: operation, body})).body.data;
  } catch (e) {
    if (!(e instanceof Refused) || e.code !== "CONFIRMATION_REQUIRED") throw e;
    password.hidden = false;
    password.querySelector("input").focus();
    throw new Error(say("close.confirm"));
  }
  print(dayPath(day.id) + "/receipt");
  refresh();
  // nothing was counted
  if (closed.variance === null) return true;
  const off = units(closed.variance, digits());
  open(say("close.done"), [el("p.large" + (off ? "" : ".ok"), {role: "status"}, (off > 0 ? "+" : "") + amountOf(closed.variance)), facts([[say("close.expected"), amountOf(closed.expected_cash)], [say("handover.counted"), amountOf(closed.counted_cash)],
    ...(closed.means || []).filter(row => row.variance).map(row => [say("means." + row.means, row.currency), amountOf(row.variance, row.currency)])])], [guarded(main(say("done")))], () => {});
  return false;
}

let polling = null;

// requests shows the customers who pay by bank, and follows them while it is open.
export async function requests() {
  const list = el("div");
  const show = async () => {
    const {data} = await read("/bank/payment-requests?page_size=30&origin=ticket&entityId=" + desk.catalogue.entity.id);
    list.replaceChildren(...data.map(one => el("p.line", {}, el("span.state." + ({open: "wait", paid: "ok"}[one.status] || "off"), {}, say("request." + one.status)), el("span", {}, clock(one.created_at), " ", one.client_phone || ""),
      el("b.number", {}, amountOf(one.amount, one.currency)))), ...(data.length ? [] : [el("p", {}, say("request.none"))]));
  };
  await show();
  open(say("request"), [list], [], null);
  clearInterval(polling);
  polling = setInterval(() => at("panel").open && list.isConnected ? show().catch(() => {}) : clearInterval(polling), 5000);
}

// ---- sounds

let sounds = true;
store.get("kept", "sounds").then(kept => {
  if (kept) sounds = kept.on;
}, () => {});

let speaker = null;

// milliseconds until the outcome is drawn: the first tone takes a browser a fifth of a second
const drawn = 50;

// sound tells sold from refused by a tone.
export function sound(kind) {
  if (sounds && window.AudioContext) setTimeout(() => play(kind), drawn);
}

// play plays one high tone, or two low ones.
function play(kind) {
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
