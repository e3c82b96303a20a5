// A sale from the key press to its outcome. An open sale is stored before it is sent, {key, body, total, state, tries, since}, and is repeated with the
// same key and body until the server says whether it was sold: whatever is lost on the way, it is sold once or not at all.
//
//   composing -> sending -> sold
//                        -> refused              nothing was sold; the draft gets another key
//                        -> unknown -> sending   lost, or OUTCOME_UNKNOWN: repeated after 1, 2, 4 ... 30 s
//                        -> waiting -> sending   429 or 503 with Retry-After: nothing was sold yet
//                        -> ended   -> sending   no session: repeated after the login
import {Ended, Lost, Refused, call} from "./pos-api.js";
import * as store from "./pos-store.js";

const longest = 30; // seconds between two repeats
const journalKept = 500;

const open = new Map(); // sales whose outcome is not known, by key
const timers = new Map(), sending = new Set();
let listener = () => {};

// listen sets the function that is called with each change: (sale, outcome), where outcome is undefined while the sale is open.
export function listen(told) { listener = told; }

// report tells of a change. A failure of the page changes nothing of the sale.
function report(sale, outcome) {
  try {
    listener(sale, outcome);
  } catch (e) {
    console.error(e);
  }
}

export const openSales = () => Array.from(open.values()).sort((a, b) => a.since - b.since);

// begin stores the sale of a draft, and sends it. The draft stays stored until the outcome is known.
export async function begin(draft, body, total) {
  const sale = {key: draft.key, body, total, draft, state: "sending", tries: 0, since: Date.now(), parked: false};
  await store.put("open", sale);
  open.set(sale.key, sale);
  report(sale);
  send(sale);
  return sale;
}

// resume takes over the sales that were open when the browser or another window ended.
export async function resume() {
  for (const sale of await store.all("open")) {
    if (open.has(sale.key)) continue;
    sale.parked = true;
    open.set(sale.key, sale);
    report(sale);
    send(sale);
  }
}

// park lets the counter go on while the sale is repeated in the background.
export function park(sale) {
  sale.parked = true;
  store.put("open", sale);
  report(sale);
}

// repeatNow sends every open sale at once, such as after a login or when the line is back.
export function repeatNow() { for (const sale of open.values()) send(sale); }

const held = {}; // what alone returns where another window has the sale

function alone(key, work) {
  if (!navigator.locks) return work();
  return navigator.locks.request("pos-sale-" + key, {ifAvailable: true}, lock => lock ? work() : held);
}

// send makes one attempt, and plans the next one unless the outcome is known.
async function send(sale) {
  clearTimeout(timers.get(sale.key));
  if (sending.has(sale.key)) return;
  sending.add(sale.key);
  let pause;
  try {
    pause = await alone(sale.key, () => attempt(sale));
    if (pause === held) pause = await elsewhere(sale);
  } catch (e) { // such as a full disk: what is stored says that the sale is open
    console.error(e);
    pause = longest;
  } finally {
    sending.delete(sale.key);
  }
  if (pause) timers.set(sale.key, setTimeout(() => send(sale), pause * 1000));
}

// attempt returns the seconds until the next attempt; none if the outcome is known, or the session has ended.
async function attempt(sale) {
  change(sale, "sending", sale.tries + 1);
  let answer;
  try {
    answer = await call("POST", "/sales/tickets", {body: sale.body, key: sale.key});
    if (!answer.body.data || !answer.body.data.serial_code) throw new Lost("no ticket in the answer");
  } catch (e) {
    return failed(sale, e);
  }
  return end(sale, {state: "sold", ticket: answer.body.data, replayed: answer.headers.get("Idempotent-Replayed") === "true"});
}

// failed decides by an error whether the sale was refused, or is repeated, and when.
function failed(sale, e) {
  const refused = e instanceof Refused && !e.unknown;
  if (refused && !e.later) return end(sale, {state: "refused", status: e.status, code: e.code, detail: e.message, lines: e.lines});
  if (e instanceof Ended) return change(sale, "ended");
  if (!(e instanceof Refused || e instanceof Lost)) console.error(e);
  change(sale, refused ? "waiting" : "unknown");
  return Math.max(e.wait || 0, Math.min(longest, 2 ** Math.min(sale.tries - 1, 5)));
}

function change(sale, state, tries = sale.tries) {
  Object.assign(sale, {state, tries});
  store.put("open", sale).catch(() => {}); // what identifies the sale is stored already
  report(sale);
}

// end stores the outcome and forgets the open sale and its draft in one transaction. A draft that was refused stays, with another key.
async function end(sale, outcome) {
  const entry = {key: sale.key, at: Date.now(), total: sale.total, state: outcome.state};
  if (outcome.ticket) Object.assign(entry, {id: outcome.ticket.id, serial: outcome.ticket.serial_code});
  await store.change(at => {
    at("open").delete(sale.key);
    at("journal").put(entry);
    if (outcome.state === "sold") at("drafts").delete(sale.key);
  });
  open.delete(sale.key);
  report(sale, outcome);
  trim().catch(console.error);
}

// elsewhere looks for the outcome that the window has stored which is sending the sale. It returns the seconds until the next look.
async function elsewhere(sale) {
  const entry = await store.get("journal", sale.key);
  if (!entry) {
    change(sale, "unknown");
    return 2;
  }
  open.delete(sale.key);
  report(sale, entry);
}

async function trim() {
  const entries = await store.all("journal");
  if (entries.length <= journalKept) return;
  entries.sort((a, b) => a.at - b.at);
  await store.change(at => {
    for (const entry of entries.slice(0, entries.length - journalKept)) at("journal").delete(entry.key);
  });
}
