// Tickets that are sold: what became of them, and the payment of their prizes, one after the other.
import {Refused, call, now, read} from "./pos-api.js";
import {today} from "./pos-close.js";
import {amountOf, desk} from "./pos-desk.js";
import {close, facts, field, main, open, saying} from "./pos-dialog.js";
import {picked} from "./pos-entry.js";
import {clock, count, dayOf, dayText, say, units} from "./pos-format.js";
import {cancel} from "./pos-panels.js";
import * as printer from "./pos-print.js";
import {newKey} from "./pos-ticket.js";
import {amount, at, el} from "./pos-view.js";

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

const ticketOf = async id => (await read("/sales/tickets/" + id)).data;

// scan opens what the serial code of a receipt calls for: its prize, its cancellation, or its state.
export async function scan(serial, print, refresh) {
  open(say("consult"), [el("p", {}, serial)], [], null);
  try {
    await ticket(await bySerial(serial), print, refresh);
  } catch (e) {
    saying(e);
  }
}

const serialField = () => field(say("consult.serial"), "serial", {required: true, maxlength: "200", spellcheck: "false", autocapitalize: "characters"});

export function consult(print, refresh = () => {}) {
  open(say("consult"), [serialField()], [main(say("consult"))], async data => {
    await ticket(await bySerial(serialOf(data.get("serial"))), print, refresh);
    return false;
  });
}

// ticket shows a ticket with what can be done with it now; Enter pays a prize.
export async function ticket(id, print, refresh) {
  const data = await ticketOf(id), ways = [], wins = isDue(data);
  const way = (text, act, attributes = {}) => {
    const one = el("button", {type: "button", ...attributes}, text);
    one.addEventListener("click", act);
    ways.push(one);
  };
  if (wins) ways.push(main(say("pay")));
  way(say("print"), () => {
    close();
    print(id);
  });
  if (data.customer_id) way(say("resend"), () => resend(id).catch(saying));
  if (data.status === "pending" && Date.parse(data.cancel_before) > now()) way(say("cancel"), () => cancel({...data, shown: amountOf(data.total, data.currency)}, refresh), {class: "grave"});
  open(data.serial_code, [...headOf(data), ...linesOf(data)], ways, wins ? async () => {
    await payTicket(data, newQueue(), refresh);
    return false;
  } : null);
}

const isDue = one => one.status === "won" && Date.parse(one.expires_at) > now();

// headOf are the prize of a ticket in large figures, its state, and who sold it.
function headOf(one) {
  const late = one.status === "won" && !isDue(one), status = late ? "expired" : one.status;
  return [one.prize && large(amountOf(one.prize, one.currency), late || status === "paid"),
    facts([[say("state"), el("span.state." + ({won: "ok", pending: "wait"}[status] || "off"), {}, say("status." + status))],
      one.prize && status !== "paid" && [say(late ? "expired.at" : "expires.at"), dated(one.expires_at)],
      [say("total"), amountOf(one.total, one.currency)],
      [say("sold.at"), dated(one.created_at) + (one.sold_by ? " · " + one.sold_by : "")]])].filter(Boolean);
}

// dated is the time of an instant, with its date if that is not today's.
const dated = instant => (dayOf(instant) === dayOf(now()) ? "" : dayText(dayOf(instant)) + ", ") + clock(instant);

const large = (text, faint) => el("p.large" + (faint ? ".faint" : ""), {}, text);

// linesOf are the lines of a ticket below their draws, each with its result; lines that won are marked.
function linesOf(one) {
  return one.items.flatMap(group => group.draws.flatMap(draw => [
    el("h3.drawn", {}, group.game.name + " · " + dated(draw.draw_time), draw.result && el("b.number", {}, draw.result)),
    ...draw.lines.map(line => lineOf(line, one.currency, draw.result))]));
}

function lineOf(line, currency, decided) {
  const codes = picked(line).join(" ");
  return el("p.line" + (line.prize ? ".won" : decided ? ".faint" : ""), {}, el("b", {}, codes), " ", line.name === codes ? "" : line.name,
    line.bet_type === "straight" ? "" : el("small.faint", {}, say("bet." + line.bet_type)),
    el("span.number", {}, amountOf(line.amount, currency), line.prize ? el("strong", {}, " " + say("wins", amountOf(line.prize, currency))) : ""));
}

// resend sends the last message about a ticket again.
async function resend(id) {
  const {data: [message]} = await read("/messaging/logs?page_size=1&ticket_id=" + id);
  if (!message) throw new Error(say("resend.none"));
  await call("POST", "/messaging/logs/" + message.id + "/resend");
  saying(new Error(say("resend.done", message.recipient)));
}

// newQueue is a queue of prizes that are paid one after the other: how many of the desk's currency, and their sum.
const newQueue = () => ({paid: 0, sum: 0});

// pay asks for the ticket of a prize, of a queue where others were paid before it.
export function pay(refresh, queue = newQueue()) {
  open(say("pay"), [...sumOf(queue), serialField()], [main(say("next"))], async data => {
    await payTicket(await ticketOf(await bySerial(serialOf(data.get("serial")))), queue, refresh);
    return false;
  });
}

// next goes on with a queue.
const next = (queue, refresh) => () => {
  pay(refresh, queue);
  return false;
};

// sumOf says what the queue has been paid.
const sumOf = ({paid, sum}) => paid ? [el("p.queue", {}, count("pay.queue", paid) + ", " + amount(sum))] : [];

// payTicket asks for the code of a ticket that has won; it shows any other one.
async function payTicket(one, queue, refresh) {
  if (!isDue(one)) return open(one.serial_code, [...headOf(one), ...sumOf(queue), ...linesOf(one)], [main(say("pay.next"))], next(queue, refresh));
  const operation = newKey(), {data: prize} = await read("/prizes/" + one.id), due = amountOf(prize.prize, prize.currency);
  open(say("pay.title", one.serial_code), [...headOf({...one, prize: prize.prize, expires_at: prize.expires_at}), field(say("pay.code"), "code", {required: true, inputmode: "numeric", maxlength: "20"}),
    ...sumOf(queue), ...linesOf(one)], [main(say("pay.do", due))], async data => {
    const code = data.get("code").trim();
    // such as a second scan of the receipt: the server would count it as a wrong code
    if (/\D/.test(code)) {
      at("panel-body").querySelector("[name=code]").value = "";
      throw new Error(say("pay.digits"));
    }
    await send(one.id, operation, code);
    refresh();
    if (ofDesk(prize)) {
      queue.paid += 1;
      queue.sum += units(prize.prize, desk.catalogue.currency.digits);
    }
    paid(one, prize, queue, refresh);
    return false;
  });
}

const ofDesk = prize => prize.currency === desk.catalogue.currency.code;

// send pays a prize. A refusal of the code says how many attempts are left.
async function send(id, operation, code) {
  try {
    await call("POST", "/prizes/" + id + "/pay", {key: operation, body: {validation_code: code}});
  } catch (e) {
    if (!(e instanceof Refused) || e.code !== "WRONG_VALIDATION_CODE") throw e;
    at("panel-body").querySelector("[name=code]").select();
    throw new Error([e.message, ...e.lines.map(({message}) => message[0].toUpperCase() + message.slice(1) + ".")].join(" "));
  }
}

// paid says that a prize is paid, and prints the slip that the winner signs. A slip that is not printed pays nothing again. Enter goes on with the queue.
function paid(one, prize, queue, refresh) {
  const slip = el("button", {type: "button"}, say("pay.slip")), drawer = el("p.faint", {role: "status"});
  const print = cash => printer.print("/prizes/" + one.id + "/receipt", {cash}).catch(e => saying(new Error(say("pay.unprinted", e.message))));
  slip.addEventListener("click", () => print(false));
  open(one.serial_code, [el("p.large.ok", {}, say("pay.paid", amountOf(prize.prize, prize.currency))), ...sumOf(queue), drawer], [main(say("pay.next")), slip], next(queue, refresh));
  print(true);
  // a drawer whose opening cash was not entered may have less than nothing
  if (ofDesk(prize)) today().then(day => day && day.expected_cash && !day.expected_cash.startsWith("-") && drawer.append(say("pay.drawer", amountOf(day.expected_cash))), () => {});
}
