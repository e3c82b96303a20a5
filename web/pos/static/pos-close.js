// The day of the drawer: it is opened, counted in all currencies at once, handed over, and closed.
import {Refused, call, read} from "./pos-api.js";
import {amountOf, desk, digitsOf, unitOf} from "./pos-desk.js";
import {closing, facts, field, main, open, saying} from "./pos-dialog.js";
import {guardEnter} from "./pos-guard.js";
import {clock, dayText, decimal, money, say, typedAmount, units} from "./pos-format.js";
import {newKey} from "./pos-ticket.js";
import {at, el} from "./pos-view.js";

const pathOf = day => "/sales/daily-closes/" + day.id;

// openDays are the newest open day of each currency, that of the desk's currency first.
async function openDays() {
  const {data} = await read(openPath()), own = desk.catalogue.currency.code;
  const newest = data.filter((day, i) => data.findIndex(other => other.currency === day.currency) === i);
  return newest.sort((a, b) => Number(b.currency === own) - Number(a.currency === own));
}

// today is the open day in the desk's currency; undefined without one.
export const today = async () => (await read(openPath() + "&currency=" + desk.catalogue.currency.code)).data[0];

const openPath = () => "/sales/daily-closes?status=open&entityId=" + desk.catalogue.entity.id;

// day counts the drawer of each open day and closes them. print prints a close.
export async function day(print, refresh) {
  const days = await openDays();
  if (!days.some(one => one.currency === desk.catalogue.currency.code)) return openDay(print, refresh);
  const password = field(say("close.password"), "password", {type: "password"}), keys = days.map(newKey), handovers = days.map(newKey);
  password.hidden = true;
  const body = el("div.close", {}, ...days.map((one, i) => sectionOf(one, i, days.length > 1)), field(say("close.note"), "note", {maxlength: "500"}), password);
  const sums = () => days.map((one, i) => showSums(body, one, i));
  body.addEventListener("input", sums);
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
  give.addEventListener("click", () => handOver(days, new FormData(at("panel-form")), handovers, refresh).catch(saying));
  let agreed = "";
  open(say("close"), [body], [done, give], data => {
    const bodies = days.map((one, i) => drawerOf(one, i, data)), counted = sums(), doubt = days.map((one, i) => doubtOf(one, counted[i])).filter(Boolean).join(" ");
    if (doubt && doubt !== agreed) {
      agreed = doubt;
      guardEnter();
      throw new Error(doubt);
    }
    return closeDays(days, bodies, keys, password, print, refresh);
  });
  sums();
}

// sectionOf has what a day expects, unless it is counted first, and the fields in which it is counted.
function sectionOf(one, i, several) {
  const digits = digitsOf(one.currency), counts = one.denominations.map(unit => countOf(unit, "n" + i + "-" + unit, {inputmode: "numeric", pattern: "[0-9]{0,7}", "data-unit": String(units(unit, digits))}));
  const others = (one.means || []).map((row, j) => field(say("means." + row.means, unitOf(row.currency)) + (one.blind ? "" : ", " + say("close.due") + " " + amountOf(row.expected, row.currency)), "means" + i + "-" + j, {inputmode: "decimal"}));
  return el("section", {}, several && el("h3", {}, unitOf(one.currency)), facts([[say("close.day"), dayText(one.day)], ...rowsOf(one)]), el("div.counts", {}, ...counts), field(say("close.other"), "other" + i, {inputmode: "decimal"}), ...others, el("p.sums", {role: "status", id: "sums" + i}));
}

// countOf is the field of a denomination, with its sum beside its name.
function countOf(unit, name, attributes) {
  const counted = field("", name, attributes);
  counted.prepend(el("span.line", {}, amountOf(unit) + " ×", el("span.number.faint")));
  return counted;
}

// doubtful is the part of the expected cash from which on a difference is asked about.
const doubtful = 0.1;

// doubtOf is the question before a drawer is closed that was not counted, or that differs much; "" for none. sum is the counted amount in units.
function doubtOf(one, sum) {
  const digits = digitsOf(one.currency), expected = units(one.expected_cash || "0", digits), off = sum - expected;
  const shown = amount => amountOf(decimal(amount, digits), one.currency);
  if (!sum) return one.blind || expected > 0 ? say("close.sure.none", unitOf(one.currency)) : "";
  return one.blind || Math.abs(off) <= Math.abs(expected) * doubtful ? "" : say("close.sure", shown(sum), amountOf(one.expected_cash, one.currency), offBy(off, shown(Math.abs(off))));
}

// offBy says by how much what was counted differs from what is expected, as "faltan 48,50".
const offBy = (off, shown) => off ? say(off < 0 ? "close.short" : "close.over", shown) : say("close.exact");
const varianceOf = (variance, code) => offBy(Number(variance), amountOf(String(variance || 0).replace("-", ""), code));

// rowsOf are the rows of a close as the panel has them; none until a drawer is counted blindly.
function rowsOf(one) {
  if (one.blind) return [];
  const row = (name, decimal, sign = "") => Number(decimal) ? [[say("close." + name), sign + amountOf(decimal, one.currency)]] : [];
  return [...row("opening", one.opening_cash), [say("close.sales"), amountOf(one.sales, one.currency)], ...row("voids", one.voids, "−"), ...row("refunds", one.refunds, "−"), [say("close.prizes"), (Number(one.prizes) ? "−" : "") + amountOf(one.prizes, one.currency)],
    ...row("deposits", one.deposits, "−"), ...row("withdrawals", one.withdrawals), ...row("notcash", one.not_cash, "−"), expectedOf(one)];
}

// expectedOf is the row of the expected cash. A negative amount is cash of the ticket point's own.
function expectedOf({expected_cash: expected, currency}) {
  return [say(Number(expected) < 0 ? "close.own" : "close.expected"), amountOf(expected.replace("-", ""), currency)];
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
    await call("POST", "/sales/daily-closes", {key: operation, body: {entityId: entity.id, currency: currency.code, opening_cash: decimal(amountIn(data.get("opening"), currency.digits), currency.digits)}});
    await day(print, refresh);
    return false;
  });
}

// showSums shows what is counted of a drawer, and returns it in units.
function showSums(body, one, i) {
  const digits = digitsOf(one.currency);
  let sum = typedAmount(body.querySelector("[name=other" + i + "]").value, digits);
  for (const input of body.querySelectorAll('[name^="n' + i + '-"]')) {
    const counted = Number(input.value || 0) * Number(input.dataset.unit);
    input.closest("label").querySelector(".number").textContent = counted ? money(counted, digits) : "";
    sum += counted;
  }
  const off = sum - units(one.expected_cash, digits);
  const sums = body.querySelector("#sums" + i);
  sums.classList.toggle("off", !one.blind && sum > 0 && off !== 0);
  sums.textContent = one.blind || !sum && off > 0 ? say("close.counted", money(sum, digits)) : say("close.sums", money(sum, digits), offBy(off, money(Math.abs(off), digits)));
  return sum;
}

// drawerOf is a counted drawer as the API takes it.
function drawerOf(one, i, data) {
  const digits = digitsOf(one.currency), counts = one.denominations.map(unit => ({denomination: unit, count: Number(data.get("n" + i + "-" + unit) || 0)})).filter(unit => unit.count > 0);
  const other = amountIn(data.get("other" + i) || "", digits), means = (one.means || []).map(({means, currency}, j) => ({means, currency, amount: meansOf(data.get("means" + i + "-" + j) || "", currency)})).filter(row => row.amount);
  return {cash: {counts, ...(other && {other: decimal(other, digits)}), ...(means.length && {means})}, ...(data.get("note") && {note: data.get("note")})};
}

// meansOf is what was counted of another means, as the API takes it; "" where nothing was typed. Zero is counted, too.
const meansOf = (text, code) => text.trim() ? decimal(amountIn(text, digitsOf(code)), digitsOf(code)) : "";

// amountIn reads an amount of the drawer, zero too. Errors: the text is no amount.
function amountIn(text, digits) {
  const amount = typedAmount(text, digits);
  if (!amount && text.trim() && !/^0+([.,]0+)?$/.test(text.trim())) throw new Error(say("wrong.amount"));
  return amount;
}

// handOver gives the counted drawers to the next cashier, and ends the session of this one.
async function handOver(days, data, keys, refresh) {
  const bodies = days.map((one, i) => drawerOf(one, i, data)), given = [];
  for (const [i, one] of days.entries()) given.push({...(await call("POST", pathOf(one) + "/handovers", {key: keys[i], body: bodies[i]})).body.data, currency: one.currency});
  open(say("handover.given"), [...given.map(sumsOf), el("p", {}, say("handover.next"))], [main(say("handover.leave"))], async () => {
    await call("POST", "/auth/logout");
    refresh();
  });
}

const sumsOf = one => facts([[say("handover.by"), one.given_by_name + " · " + clock(one.given_at)], [say("close.expected"), amountOf(one.expected_cash, one.currency)],
  [say("handover.counted"), amountOf(one.counted_cash, one.currency)], [say("handover.variance"), varianceOf(one.variance, one.currency)], ...(one.note ? [[say("close.note"), one.note]] : [])]);

// takeOver asks the cashier to take the drawers that another one has handed over, if they wait.
export async function takeOver(user) {
  const waiting = [];
  for (const one of await openDays()) {
    const found = (await read(pathOf(one) + "/handovers")).data.find(other => !other.taken_at && other.given_by !== user);
    if (found) waiting.push({...found, path: pathOf(one), currency: one.currency});
  }
  if (!waiting.length || at("panel").open) return;
  open(say("handover.take"), [...waiting.map(sumsOf), el("p", {}, say("handover.check"))], [main(say("handover.taken"))], async () => {
    for (const one of waiting) await call("POST", one.path + "/handovers/" + one.id + "/take");
  });
  // whoever types meanwhile takes nothing by the next Enter
  at("panel-title").focus();
}

// closeDays closes each day once: a repeat has the same key. It asks for the password where the last confirmation is too old.
async function closeDays(days, bodies, keys, password, print, refresh) {
  const typed = password.querySelector("input"), closed = [];
  try {
    if (typed.value) await call("POST", "/auth/confirm", {body: {password: typed.value}});
    for (const [i, one] of days.entries()) closed.push((await call("POST", pathOf(one) + "/close", {key: keys[i], body: bodies[i]})).body.data);
  } catch (e) {
    if (!(e instanceof Refused) || e.code !== "CONFIRMATION_REQUIRED") throw e;
    password.hidden = false;
    typed.focus();
    throw new Error(say("close.confirm"));
  }
  // one slip after the other
  closed.reduce((printed, one) => printed.then(() => print(pathOf(one) + "/receipt")), Promise.resolve());
  refresh();
  const counted = closed.filter(one => one.variance !== null);
  // nothing was counted
  if (!counted.length) return true;
  const again = el("button", {type: "button"}, say("close.again"));
  again.addEventListener("click", () => counted.forEach(one => print(pathOf(one) + "/receipt")));
  open(say("close.done"), counted.flatMap(resultOf), [guarded(main(say("done"))), again], closing);
  return false;
}

// resultOf has the difference of a closed day in large figures.
function resultOf(one) {
  const off = Number(one.variance);
  return [el("p.large.off" + (off < 0 ? ".short" : off ? "" : ".ok"), {role: "status"}, varianceOf(one.variance, one.currency)), facts([...rowsOf(one), [say("handover.counted"), amountOf(one.counted_cash, one.currency)],
    ...(one.means || []).filter(row => Number(row.variance)).map(row => [say("means." + row.means, unitOf(row.currency)), varianceOf(row.variance, row.currency)])])];
}
