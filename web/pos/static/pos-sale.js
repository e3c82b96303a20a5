// A sale from the key press to its outcome. An open sale is stored before it is sent, and is repeated with the same key and body until the server says
// whether it was sold: whatever is lost on the way, it is sold once or not at all.
//
//   composing -> sending -> sold
//                        -> unsent               no session or no line before the first request: nothing was sent
//                        -> refused              nothing was sold; the draft gets another key
//                        -> unknown -> sending   no answer, or OUTCOME_UNKNOWN: repeated after 1, 2, 4 ... 30 s
//                        -> waiting -> sending   429 or 503 with Retry-After: nothing was sold yet
//                        -> ended   -> sending   no session: repeated after the login
//
// A sale is {key, entity, body, total, draft, state, tries, since, parked, sent, unsure, undo}: sent once a request was begun, unsure once one was lost.
// undo is the Idempotency-Key of its cancellation, once the customer has left: the sale is repeated until its outcome is known, and then cancelled.
import {Ended, Lost, Refused, call, ready, who} from "./pos-api.js";
import * as store from "./pos-store.js";
import {newKey, renewKey} from "./pos-ticket.js";

// seconds between two repeats
const longest = 30;
const journalKept = 500;

// sales whose outcome is not known, by key
const open = new Map();
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

// begin stores the sale of a draft, and then sends it. The draft stays stored until the outcome is known.
export function begin(draft, entity, body, total) {
  const sale = {key: draft.key, entity, body, total, draft, state: "sending", tries: 0, since: Date.now(), parked: false, sent: false, unsure: false};
  open.set(sale.key, sale);
  // an equal key is of another window, which has the sale
  store.change(at => at("open").add(sale)).then(() => send(sale), e => {
    open.delete(sale.key);
    report(sale, {state: "unsent", detail: e?.message});
  });
  return sale;
}

// resume takes over the sales of an entity that were open when the browser or another window ended.
export async function resume(entity) {
  for (const sale of await store.all("open")) {
    if (open.has(sale.key) || sale.entity !== entity) continue;
    sale.parked = true;
    sale.unsure = sale.sent;
    open.set(sale.key, sale);
    report(sale);
    send(sale);
  }
}

// park lets the counter go on while the sale is repeated in the background.
export function park(sale) {
  sale.parked = true;
  store.update("open", sale.key, {parked: true}).catch(() => {});
  report(sale);
}

// giveUp parks a sale and has it cancelled if it was sold.
export async function giveUp(sale) {
  sale.undo = sale.undo || newKey();
  park(sale);
  await store.update("open", sale.key, {undo: sale.undo});
  send(sale);
}

// others are the open sales of other entities than that of the session, which end in a session of their own.
export const others = async entity => (await store.all("open")).filter(sale => sale.entity !== entity);

// setAside ends the repeats of a sale whose outcome stays unknown. It reports whether no other window was sending the sale.
export async function setAside(sale) {
  if (sending.has(sale.key)) return false;
  clearTimeout(timers.get(sale.key));
  const entry = entryOf(sale, "aside");
  if (await alone(sale.key, () => settle(sale, entry, at => at("drafts").delete(sale.key))) === held) return false;
  settled(sale, entry);
  return true;
}

// repeatNow sends every open sale at once, such as after a login or when the line is back.
export function repeatNow() { for (const sale of open.values()) send(sale); }

// what alone returns where another window has the sale
const held = {};

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
  // such as a full disk: what is stored says that the sale is open
  } catch (e) {
    console.error(e);
    pause = longest;
  } finally {
    sending.delete(sale.key);
  }
  if (pause) timers.set(sale.key, setTimeout(() => send(sale), pause * 1000));
}

// attempt returns the seconds until the next attempt; none if the outcome is known, or the session has ended.
async function attempt(sale) {
  const entry = await store.get("journal", sale.key);
  // by another window
  if (entry) return settled(sale, entry);
  if (!take(sale, await store.get("open", sale.key))) return;
  let answer;
  try {
    await ready();
    // another user has logged in
    if (who().entity_id !== sale.entity) return change(sale, "ended");
    sale.sent = true;
    await change(sale, "sending", sale.tries + 1);
    answer = await call("POST", "/sales/tickets", {body: sale.body, key: sale.key});
    if (!answer.body.data || !answer.body.data.serial_code) throw new Lost("no ticket in the answer");
  } catch (e) {
    return failed(sale, e);
  }
  return sold(sale, answer.body.data);
}

// take takes over what another window has stored of a sale. It reports false for a sale that another window has given back unsent.
function take(sale, stored) {
  if (!stored) {
    settled(sale, {state: "returned"});
    return false;
  }
  sale.unsure = sale.unsure || stored.unsure || stored.sent && !sale.sent;
  sale.sent = sale.sent || stored.sent;
  sale.undo = sale.undo || stored.undo;
  return true;
}

// early are refusals that the server makes before it looks whether the key has sold.
const early = e => [400, 401, 403, 404, 413].includes(e.status) || ["IDEMPOTENCY_KEY_REUSED", "VALIDATION_FAILED"].includes(e.code);

// failed decides by an error whether the sale was refused, or is repeated, and when.
function failed(sale, e) {
  const refused = e instanceof Refused && !e.unknown;
  if (!refused && !(e instanceof Ended || e instanceof Lost || e instanceof Refused)) console.error(e);
  if (!sale.sent) return unsent(sale, e);
  if (refused && !e.later && !(early(e) && sale.unsure) && e.code !== "IDEMPOTENCY_KEY_REUSED") return refuse(sale, e);
  if (e instanceof Ended) return change(sale, "ended");
  sale.unsure = sale.unsure || !refused || e.code === "IDEMPOTENCY_KEY_REUSED";
  change(sale, sale.unsure ? "unknown" : "waiting");
  return Math.max(e.wait || 0, Math.min(longest, refused && !e.later ? longest : 2 ** Math.min(sale.tries - 1, 5)));
}

function change(sale, state, tries = sale.tries) {
  Object.assign(sale, {state, tries});
  report(sale);
  // what identifies the sale is stored already
  return store.update("open", sale.key, {state, tries, sent: sale.sent, unsure: sale.unsure}).then(() => undefined, () => undefined);
}

const entryOf = (sale, state, more) => ({key: sale.key, entity: sale.entity, at: Date.now(), total: sale.total, currency: sale.body.currency, state, ...more});

// sold reports a sale before it is written down: after a crash between the two the repeat gets the same ticket. Another window may have given the sale up
// since the request was begun.
async function sold(sale, ticket) {
  const entry = entryOf(sale, "sold", {id: ticket.id, serial: ticket.serial_code}), stored = await store.get("open", sale.key).catch(() => null);
  sale.undo = sale.undo || stored?.undo;
  if (sale.undo) return cancel(sale, ticket, entry);
  open.delete(sale.key);
  report(sale, {...entry, ticket});
  await settle(sale, entry, at => at("drafts").delete(sale.key));
}

// cancel cancels the ticket of a sale that was given up, and writes down whether that was possible before it is reported. It returns the seconds until
// the next attempt, which sells nothing, where no answer came.
async function cancel(sale, ticket, entry) {
  try {
    await call("POST", "/sales/tickets/" + ticket.id + "/cancel", {key: sale.undo});
    entry.undone = true;
  } catch (e) {
    if (!(e instanceof Refused) || e.unknown || e.later) {
      change(sale, e instanceof Ended ? "ended" : "unknown");
      return Math.max(e.wait || 0, Math.min(longest, 2 ** Math.min(sale.tries, 5)));
    }
    Object.assign(entry, {detail: e.message, late: true});
  }
  await settle(sale, entry, at => at("drafts").delete(sale.key));
  open.delete(sale.key);
  report(sale, {...entry, ticket});
}

// refuse writes a refusal down before it is reported: the sale is not repeated after that. The draft stays, with another key.
async function refuse(sale, e) {
  const draft = {...sale.draft, currency: sale.body.currency, lines: sale.draft.lines.map(line => ({...line}))};
  renewKey(draft);
  const entry = entryOf(sale, "refused", {detail: e.message, lines: e.lines, renewed: draft.key, late: sale.parked && !sale.undo});
  await settle(sale, entry, at => {
    at("drafts").delete(sale.key);
    if (!sale.undo) at("drafts").put(draft);
  });
  open.delete(sale.key);
  report(sale, {...entry, draft});
}

function settle(sale, entry, more) {
  return store.change(at => {
    at("open").delete(sale.key);
    at("journal").put(entry);
    more(at);
  }).then(trim);
}

// unsent gives a sale back of which no request was begun.
async function unsent(sale, e) {
  await store.change(at => {
    at("open").delete(sale.key);
    if (sale.undo) at("drafts").delete(sale.key);
  });
  open.delete(sale.key);
  report(sale, {state: "unsent", ended: e instanceof Ended, detail: e.message});
}

function settled(sale, entry) {
  open.delete(sale.key);
  report(sale, {...entry, elsewhere: true});
}

// elsewhere looks for the outcome that the window has stored which is sending the sale, and writes nothing. It returns the seconds until the next look.
async function elsewhere(sale) {
  const entry = await store.get("journal", sale.key);
  if (entry) return settled(sale, entry);
  if (sale.state === "sending") sale.state = "unknown";
  report(sale);
  return 2;
}

// late are outcomes that came in the background, until seen: refusals, and sales that could not be cancelled.
export const late = async entity => (await store.all("journal")).filter(entry => entry.late && entry.entity === entity);

export const seen = entry => store.update("journal", entry.key, {late: false});

async function trim() {
  // all of them are read once in a while only
  if (await store.count("journal") < journalKept + 50) return;
  const entries = await store.all("journal");
  entries.sort((a, b) => a.at - b.at);
  await store.change(at => {
    for (const entry of entries.slice(0, entries.length - journalKept)) at("journal").delete(entry.key);
  });
}
