// The counter: what is typed, and what follows from it. See docs/pos.md for the keys and the states of a sale.
import {Ended, Lost, Refused, call, enter, now, read as get, who, within} from "./pos-api.js";
import {customer, repeats} from "./pos-again.js";
import {camera} from "./pos-camera.js";
import * as dayOfDrawer from "./pos-close.js";
import {amountOf, close, desk, gameOf, isClosed, nextOf, onSale, otherCurrencies, recall, renew, renewQuota, renewRooms, rule, sellIn, unitOf} from "./pos-desk.js";
import {drawTable, hourOf, spread, takes} from "./pos-draws.js";
import {complete, keyed, ofUnsold, picked, random, randomCount, read, shapes, typed} from "./pos-entry.js";
import {clock, count, money, say, typedAmount, units} from "./pos-format.js";
import {guardEnter} from "./pos-guard.js";
import {isList, list} from "./pos-list.js";
import {isTwin, lineOn, nameIn, targets} from "./pos-lines.js";
import {login, person} from "./pos-login.js";
import * as panels from "./pos-panels.js";
import * as prizes from "./pos-prizes.js";
import {payments, textOf} from "./pos-payments.js";
import * as printer from "./pos-print.js";
import {results} from "./pos-results.js";
import * as sale from "./pos-sale.js";
import * as store from "./pos-store.js";
import {settings} from "./pos-till.js";
import {add, bodyOf, lineKey, newDraft, remove, total} from "./pos-ticket.js";
import {agreeTo, inWords, isLarge, largeIn} from "./pos-words.js";
import {amount, amountIn, at, button, cellsOf, el, countDown, firstRefused, narrow, offline, showClosed, showCurrent, showDraws, showGrid, showHead, showLast, showLine, showModes, showMoved, showOutcome, showPending, showSaid, showTicket, showUnused, tightest, unsoldIn} from "./pos-view.js";

const modes = Array.from(new Set(Object.values(shapes).map(shape => shape.mode)), name => ({name, bets: Object.keys(shapes).filter(bet => shapes[bet].mode === name)}));
const second = 1000, roomsEvery = 10 * second, deskEvery = 60 * second, alone = 150, countedAfter = 8 * second, tried = 2 * second;

const state = {
  mode: modes[0], bet: modes[0].bets[0], bets: [], chosen: new Set(), game: null, read: {picks: []},
  // the chosen draws as they were shown last, what a closed one was replaced by, why none is chosen, the question that one Enter more answers, and why
  // nothing is taken until Esc, such as where something else was typed instead of the answer
  held: [], moved: "", over: "", asked: "", deaf: "",
  // what Enter on empty fields does to the draws or the lines: {text, act}; the choice of each mode, chosen draws whose game does not offer the bet,
  // whether another draw was chosen in their place, and the choice before F4
  question: null, kept: new Map(), aside: new Set(), filled: false, before: null,
  draft: newDraft(), dropped: null, changing: false, current: null, lastAmount: 0, pinned: false, session: null, seller: "", last: [], mine: [], late: [], others: [], sale: null, busy: false, outcome: null, ended: false, barred: "", asking: false, again: roomsEvery,
};

const digits = () => desk.catalogue ? desk.catalogue.currency.digits : 2;
const candidates = () => onSale([state.bet]);
const chosenDraws = () => onSale([state.bet], draw => state.chosen.has(draw.id));

// ---- what is shown

function showAll() {
  keepChosen();
  state.bets = desk.catalogue ? Array.from(new Set(desk.catalogue.games.flatMap(game => game.bet_types.map(type => type.type)))) : [];
  showHead(state);
  showModes(state, modes.filter(mode => mode.bets.some(bet => state.bets.includes(bet))));
  showDraws(state, candidates());
  showMoved(state);
  readEntry();
  showGrid(state);
  // an answer to a key stays until something is typed
  if (!empty()) sayEntry();
  composed();
}

// composed shows the ticket, with what can be done where draws of it have closed.
function composed() {
  guide();
  showTicket(state);
  showUnused(state);
  showClosed(moves());
}

// keepChosen replaces chosen draws that have closed by the next ones of their games, and chooses the first draw where none was chosen yet.
function keepChosen() {
  const draws = candidates(), on = new Set(draws.map(draw => draw.id)), closed = state.held.filter(draw => state.chosen.has(draw.id) && !on.has(draw.id));
  for (const id of state.chosen) if (!on.has(id)) state.chosen.delete(id);
  if (closed.length) replaceClosed(closed);
  else if (!state.chosen.size && !state.over && draws.length) {
    state.chosen.add(draws[0].id);
    state.filled = state.aside.size > 0;
  }
  state.held = chosenDraws();
  state.game = state.held.length ? gameOf(state.held[0]) : null;
}

// replaceClosed chooses the next draw of the day for each game whose chosen draws have closed. What is typed goes there only after one Enter more.
function replaceClosed(closed) {
  for (const draw of closed) {
    const next = chosenDraws().some(other => other.game_id === draw.game_id) ? null : nextOf(draw, state.bet);
    if (next) state.chosen.add(next.id);
  }
  const chosen = chosenDraws();
  state.asked = "";
  state.question = state.before = null;
  state.over = chosen.length ? "" : say("draws.over", Array.from(new Set(closed.map(nameOfGame))).join(", "));
  state.moved = chosen.length ? say("draws.moved", namesOf(closed), namesOf(chosen)) : "";
}

// the catalogue may not have the game of a closed draw any more
const nameOfGame = draw => (gameOf(draw) || {name: draw.game || ""}).name;
const nameOfDraw = draw => nameOfGame(draw) + " " + clock(draw.draw_time);
const namesOf = draws => draws.length > 3 ? count("of.draws", draws.length) : draws.map(nameOfDraw).join(", ");

function readEntry() { state.read = state.game ? read(at("number").value, state.game, state.bet) : {picks: []}; }

function showEntry() {
  readEntry();
  showGrid(state);
  sayEntry();
  guide();
}

// sayEntry says while typing what an entry means, what it costs, and what would be refused.
function sayEntry() {
  if (state.deaf) return showSaid(state.deaf, true);
  if (state.changing) return showSaid(say("currency.changing"));
  if (state.asked) return showSaid(state.asked, "ask");
  if (state.over && !empty()) return showSaid(state.over, true);
  const {picks, problem, part} = state.read, units = typedAmount(at("amount").value, digits()) || (at("amount").value ? 0 : state.lastAmount);
  if (problem === "random") return sayRandom(part);
  if (problem && (at("number") !== document.activeElement || typed(at("number").value, state.bet))) return showSaid(say(problem, part), true);
  if (at("amount").value && !units) return showSaid(say("wrong.amount"), true);
  if (problem || !picks.length) return showSaid("");
  const draws = chosenDraws(), names = namesOfPicks();
  const wrong = units ? boundsOf(units) : "", short = units ? picks.find(codes => (tightest(state, codes) || {left: Infinity}).left < units) : undefined;
  const cost = say("said.cost", names, count("of.draws", draws.length), count("lines", picks.length * draws.length), amount(picks.length * draws.length * units));
  if (wrong) return showSaid(wrong, true);
  const other = missing(draws, picks);
  if (other) return showSaid(other, true);
  if (short) return showSaid(say("said.room", nameOf(short), amount(tightest(state, short).left), say("level." + tightest(state, short).level)), true);
  showSaid(cost);
}

// sayRandom says what Enter chooses, and how many numbers nobody has where these are asked for.
function sayRandom(part) {
  const wanted = randomCount(part) || "…";
  if (!ofUnsold(part)) return showSaid(say("random", wanted), "ask");
  const found = cellsOf(state.game, state.bet).filter(cell => unsoldIn(state, [cell.code])).length;
  showSaid(found ? say("unsold", found, wanted) : say("unsold.none"), found ? "ask" : true);
}

const namesOfPicks = () => state.read.picks.slice(0, 6).map(nameOf).join(" · ") + (state.read.picks.length > 6 ? " …" : "");

function nameOf(codes) {
  const {grid, parts} = shapes[state.bet], element = grid && parts === 1 && state.game.elements.find(e => e.code === codes[0]);
  return codes.join(" ") + (element ? " " + element.name : "");
}

// missing says which pick a game of the draws does not have, "" if they have all.
function missing(draws, picks) {
  if (!shapes[state.bet].grid) return "";
  for (const game of new Set(draws.map(gameOf))) {
    const codes = new Set(game.elements.map(element => element.code)), pick = picks.find(pick => pick.some(code => !codes.has(code)));
    if (pick) return say("wrong.other", pick.join(" "), game.name);
  }
  return "";
}

// boundsOf is why a stake is refused by the rules of a chosen game, "" if it is not.
function boundsOf(stake) {
  for (const draw of chosenDraws()) {
    const {min_stake: least, max_stake: most} = rule(gameOf(draw), state.bet);
    if (least && stake < units(least, digits())) return say("said.low", gameOf(draw).name, amount(units(least, digits())));
    if (most && stake > units(most, digits())) return say("said.high", gameOf(draw).name, amount(units(most, digits())));
  }
  return "";
}

// ---- the draft

function keepDraft() {
  if (twinAsked()) showOutcome(state.outcome = null);
  unask();
  if (!state.busy) delete state.draft.payments;
  state.draft.entity = state.draft.entity || desk.catalogue.entity.id;
  state.draft.currency = state.draft.currency || desk.catalogue.currency.code;
  if (state.draft.lines.length) store.put("drafts", state.draft).catch(() => {});
  composed();
}

function replaceDraft(draft) {
  unask();
  if (draft.key !== state.draft.key) release(state.draft.key);
  state.draft = draft;
  state.current = null;
  at("received").value = draft.received ? money(draft.received, digits()) : "";
  hold(draft.key);
  composed();
  showCurrent();
}

// functions that let a draft go, by its key
const holding = new Map();

// hold keeps other windows from taking the draft over for as long as this one is open. It reports whether the draft was free: without locks it is not
// known, and a draft is taken over by hand.
function hold(key) {
  if (!navigator.locks) return Promise.resolve(false);
  if (holding.has(key)) return Promise.resolve(true);
  return new Promise(done => navigator.locks.request("pos-draft-" + key, {ifAvailable: true}, lock => {
    done(Boolean(lock));
    return lock ? new Promise(free => holding.set(key, free)) : undefined;
  }));
}

function release(key) {
  const free = holding.get(key);
  holding.delete(key);
  if (free) free();
}

// adopt takes over a draft of the entity that a window left behind, if there is one without an open sale.
async function adopt(entity) {
  if (state.draft.lines.length) return;
  const open = new Set((await store.all("open")).map(one => one.key));
  for (const draft of await store.all("drafts")) {
    if (open.has(draft.key) || draft.entity !== entity || !draft.lines.length) continue;
    if (await hold(draft.key)) return bring(draft).catch(e => e instanceof Ended || leaveBehind(draft));
    if (!navigator.locks) return leaveBehind(draft);
  }
}

// leaveBehind offers a draft that was not taken over.
function leaveBehind(draft) { showOutcome(state.outcome = {kind: "wait", title: say("draft.left"), ways: [button("resume", say("refused.resume"), "", {"data-key": draft.key})]}); }

// bring shows a draft that this window holds, in its currency. It lets the draft go where it cannot, or where lines were typed meanwhile.
async function bring(draft) {
  const full = () => state.draft.lines.length > 0;
  try {
    if (!full()) await inItsCurrency(draft);
  } catch (e) {
    release(draft.key);
    throw e;
  }
  if (full()) release(draft.key);
  else replaceDraft(draft);
}

async function takeUp(key) {
  if (sending()) return;
  const draft = await store.get("drafts", key);
  if (!draft) return showSaid(say("draft.gone"), true);
  if (state.draft.lines.length) return showSaid(say("draft.full"), true);
  if (navigator.locks && !await hold(key)) return showSaid(say("draft.elsewhere"), true);
  await bring(draft);
  if (state.draft !== draft) return;
  showOutcome(state.outcome = null);
  seen(key);
}

// inItsCurrency sells in the currency of a draft. One of an earlier release is of the installation's.
async function inItsCurrency(draft) {
  if (draft.currency ? draft.currency !== desk.catalogue.currency.code : desk.currency) await changeCurrency(draft.currency || "");
}

// nextCurrency sells in the next currency of which the ticket point has a wallet. A ticket stays in its own.
function nextCurrency() {
  const own = desk.catalogue.currency.code, others = otherCurrencies();
  if (sending() || !others.length) return;
  if (state.draft.lines.length) return showSaid(say("currency.lines", unitOf(own)), true);
  changeCurrency(others.find(code => code > own) || others[0]).catch(failed);
}

// failed says why an answer to a key did not come.
function failed(e) {
  if (e instanceof Ended) onEnded();
  else showSaid(e.message, true);
}

// changeCurrency begins a ticket in another currency. Until the server answers nothing is added and nothing is sold. What is typed meanwhile is of the new
// currency, and is not taken where the change fails.
async function changeCurrency(code) {
  const number = at("number"), paid = at("amount"), before = [number.value, paid.value], own = desk.catalogue.currency.code;
  number.value = paid.value = state.asked = "";
  number.focus();
  state.changing = true;
  sayEntry();
  try {
    await sellIn(code);
  } catch (e) {
    if (empty()) [number.value, paid.value] = before;
    else state.deaf = say("currency.unheard");
    throw e instanceof Ended ? e : new Error(say("currency.failed", unitOf(own)) + " " + (e instanceof Lost ? say("lost") : e.message));
  } finally {
    state.changing = false;
  }
  const field = document.activeElement;
  state.pinned = false;
  at("pin").setAttribute("aria-pressed", "false");
  forgetAmount();
  replaceDraft(newDraft());
  changed();
  // the cashier types on there
  if (field === paid) paid.focus();
  if (empty()) showSaid(say("currency.now", unitOf(desk.catalogue.currency.code)));
  for (const ticket of [...state.last, ...state.mine]) ticket.shown = amountOf(ticket.total, ticket.currency);
  showLast(state);
  refresh();
}

// sending reports, and says, that the ticket is being sold: it does not change then.
function sending() {
  if (state.busy || state.changing) showSaid(say(state.changing ? "currency.changing" : "wrong.busy"), true);
  return state.busy || state.changing;
}

// addEntry adds what is typed. It asks first, for one Enter more, where the amount is the last one again, or the draw is not the one that was chosen.
function addEntry(answered) {
  const number = at("number"), paid = at("amount"), stake = paid.value.trim() ? typedAmount(paid.value, digits()) : state.lastAmount;
  readEntry();
  const draws = chosenDraws();
  if (state.changing && !empty()) unheardFor("currency.unheard");
  if (state.deaf) return sayEntry();
  if (sending()) return;
  if (!draws.length) return showSaid(state.over || say("draws.none"), true);
  if (randomCount(number.value)) return chooseRandom(randomCount(number.value));
  if (state.read.problem === "random") return sayEntry();
  if (state.read.problem) return showSaid(say(state.read.problem, state.read.part), true);
  if (!state.read.picks.length) return number.focus();
  if (document.activeElement === number && named(number.value)) {
    number.value = state.read.picks.map(pick => pick.map(keyed).join(",")).join(",");
    return paid.focus();
  }
  if (document.activeElement === number && !paid.value && !stake) return paid.focus();
  if (!stake) {
    showSaid(say("wrong.amount"), true);
    return paid.focus();
  }
  const asks = [!paid.value.trim() && "ask", state.moved && "ask.moved"].filter(Boolean).map(name => say(name, namesOfPicks(), amount(stake), namesOf(draws)));
  if (isLarge(stake)) asks.push(say("large", inWords(stake)));
  // each question has an Enter of its own
  const question = asks[answered ? asks.indexOf(state.asked) + 1 : 0], wrong = boundsOf(stake) || (question ? "" : addLines(draws, stake));
  if (wrong) {
    showSaid(wrong, true);
    return paid.select();
  }
  if (question) {
    // two quick presses repeat the last amount
    if (paid.value.trim() || question !== asks[0]) guardEnter();
    return ask(question);
  }
  state.lastAmount = stake;
  state.asked = state.moved = "";
  showMoved(state);
  number.focus();
  number.value = paid.value = "";
  paid.placeholder = amount(stake);
  showOutcome(state.outcome = null);
  keepDraft();
  showEntry();
}

// chooseRandom writes random codes in the place of "?5", of those that a limit does not block, and for "??5" of those that nobody has: the cashier sees
// them before the amount.
function chooseRandom(count) {
  const unsold = ofUnsold(at("number").value);
  const chosen = random(state.game, state.bet, count, code => (tightest(state, [code]) || {left: 1}).left > 0 && (!unsold || unsoldIn(state, [code])));
  if (!chosen) return sayEntry();
  at("number").value = chosen;
  at("amount").focus();
  showEntry();
}

// ask shows a question that Enter answers, and no outcome of an earlier ticket beside it.
function ask(question) {
  at("amount").focus();
  showOutcome(state.outcome = null);
  state.asked = question;
  showSaid(question, "ask");
}

// addLines adds each pick to each chosen draw. It returns why it cannot; nothing is added then.
function addLines(draws, stake) {
  const lines = [], other = missing(draws, state.read.picks);
  if (other) return other;
  for (const draw of draws) {
    const game = gameOf(draw);
    for (const codes of state.read.picks) {
      lines.push(lineOn(draw, state.bet, codes, nameIn(game, state.bet, codes), stake));
    }
  }
  const wrong = addAll(lines);
  // asked about by now
  if (!wrong && isLarge(stake)) agreeTo(state.draft, lines);
  return wrong;
}

// foreign reports whether the ticket is in another currency than the desk sells in, such as in one that is not in use any more.
const foreign = () => Boolean(state.draft.currency) && state.draft.currency !== desk.catalogue.currency.code;

// addAll adds lines, all or none. It returns why it cannot.
function addAll(lines) {
  const most = desk.catalogue.rules.max_lines;
  if (foreign()) return say("currency.lines", state.draft.currency);
  if (state.draft.lines.length + lines.length > most) return say("wrong.lines", most);
  for (const line of lines) add(state.draft, line);
  return "";
}

// takeList asks for a text of bets, and adds what is understood of it.
function takeList(text) { if (!sending()) list(text, Array.from(state.chosen), addParsed); }

// addParsed adds lines of a text, all or none. It returns why it cannot.
function addParsed(parsed) {
  const lines = parsed.map(line => desk.draws.has(line.draw) && lineOn(desk.draws.get(line.draw), line.bet, line.codes, line.name, line.amount));
  if (lines.some(line => !line || isClosed(line))) return say("list.stale");
  const wrong = addAll(lines);
  if (!wrong && lines.length) {
    showOutcome(state.outcome = null);
    keepDraft();
  }
  return wrong;
}

// moves are the lines of closed draws, each with the next draw of its game that has no equal line; without one it can only be taken off.
function moves() {
  const taken = new Set(state.draft.lines.map(lineKey));
  return state.draft.lines.filter(isClosed).map(line => {
    const to = nextOf({game_id: line.gameId, draw_time: line.time}, line.bet, draw => !taken.has(lineKey({...line, draw: draw.id})));
    if (to) taken.add(lineKey({...line, draw: to.id}));
    return {line, to};
  });
}

// moveClosed moves the lines of closed draws to the next hour of their games.
function moveClosed() {
  if (sending()) return;
  for (const {line, to} of moves()) if (to) {
    remove(state.draft, line);
    add(state.draft, lineOn(to, line.bet, line.codes, line.name, line.amount));
  }
  changedLines();
}

function removeClosed() {
  if (sending()) return;
  for (const {line} of moves()) remove(state.draft, line);
  changedLines();
}

// changedLines keeps the draft after lines of it were moved or taken off.
function changedLines() {
  if (!state.draft.lines.includes(state.current)) state.current = null;
  if (!state.draft.lines.length) store.remove("drafts", state.draft.key).catch(() => {});
  if (state.outcome?.kind === "bad") showOutcome(state.outcome = null);
  keepDraft();
  showCurrent();
}

function drop(line) {
  if (!line || sending()) return;
  const index = state.draft.lines.indexOf(line);
  remove(state.draft, line);
  state.current = state.current === line ? state.draft.lines[Math.min(index, state.draft.lines.length - 1)] || null : state.current;
  if (!state.draft.lines.length) store.remove("drafts", state.draft.key).catch(() => {});
  keepDraft();
  showCurrent();
}

const lineOf = element => state.draft.lines[Number(element.dataset.line)];
const refusedLine = () => firstRefused(state.draft);

function lower(line) {
  if (!line || !(line.refused.room > 0) || sending()) return;
  line.amount = line.refused.room;
  delete line.refused;
  keepDraft();
  showCurrent();
}

// mend lowers or drops the refused line by a button. The refusal is over with the last one.
function mend(act) {
  act(refusedLine());
  if (!refusedLine() && state.outcome?.kind === "bad") showOutcome(state.outcome = null);
}

function move(step) {
  const lines = state.draft.lines, index = lines.indexOf(state.current);
  if (!lines.length) return;
  state.current = lines[index < 0 ? step < 0 ? lines.length - 1 : 0 : Math.max(0, Math.min(lines.length - 1, index + step))];
  showTicket(state);
  showCurrent();
}

// begin begins a new ticket. A sale whose outcome is open goes on in the background.
function begin() {
  const dropped = !state.sale && state.draft.lines.length > 0;
  state.dropped = null;
  if (state.sale) {
    sale.park(state.sale);
    state.sale = null;
  } else {
    if (dropped) state.dropped = state.draft;
    store.remove("drafts", state.draft.key).catch(() => {});
  }
  state.busy = false;
  forgetAmount();
  state.deaf = state.asked = at("number").value = at("amount").value = "";
  onlyOne();
  replaceDraft(newDraft());
  at("number").focus();
  showOutcome(state.outcome = null);
  pending();
  showEntry();
  if (!dropped) return;
  showSaid(say("new.undo", count("lines", state.dropped.lines.length)));
  at("said").append(" ", button("undo", say("new.undo.do"), "Ctrl Z"));
}

// undoNew brings back the ticket that F2 has dropped, until the next one is sold.
async function undoNew() {
  const {dropped} = state, {payments} = dropped || {};
  if (!dropped || sending()) return;
  await inItsCurrency(dropped);
  state.dropped = null;
  replaceDraft(dropped);
  keepDraft();
  if (payments) state.draft.payments = payments;
  showSaid("");
}

// ---- the sale

// sellForCash sells for exact cash. Where other means were said before, such as for a sale that was not sent, it asks for them again.
function sellForCash() {
  if (state.draft.payments && !state.busy) askPayments();
  else sell();
}

// askPayments asks how the ticket is paid, and sells it; or the part of it that fits, which costs less.
function askPayments(part = 0) {
  if (sending()) return;
  if (at("number").value.trim()) addEntry(false);
  if (at("number").value.trim() || !state.draft.lines.length) return;
  payments(part || total(state.draft), state.draft.payments, (paid, received) => {
    if (paid) state.draft.payments = {payments: paid.payments, ...(paid.change.length && {change: paid.change})};
    else {
      delete state.draft.payments;
      at("received").value = money(received, digits());
    }
    sell(part > 0);
  });
}

async function sell(partial = false, twin = false) {
  if (sending()) return;
  if (state.barred) return panels.barred(state.barred, leave);
  if (at("number").value.trim()) addEntry(false);
  // what is typed is wrong, or is asked about
  if (at("number").value.trim() || !state.draft.lines.length) return;
  // what is typed from now on is for the next ticket, also if the amount received was typed last
  at("number").focus();
  if (state.draft.lines.some(isClosed)) {
    showAll();
    return showOutcome(state.outcome = {kind: "bad", title: say("closed.first")});
  }
  const {currency, entity} = desk.catalogue;
  if (foreign()) return showSaid(say("currency.lines", state.draft.currency), true);
  if (!partial && refusedLine()) return showOutcome(state.outcome = {kind: "bad", title: say("refused.marked"), text: say("refused.ways"), keys: true});
  if (!partial && (askLarge() || !twin && askTwin())) return;
  state.busy = true;
  showOutcome(state.outcome = null);
  unask();
  composed();
  const draft = state.draft;
  draft.received = typedAmount(at("received").value, digits());
  const body = {...bodyOf(draft, currency, partial), entityId: entity.id};
  if (offline() && !await reached()) return draft === state.draft ? unreached() : undefined;
  if (draft !== state.draft) return;
  state.sale = sale.begin(draft, entity.id, body, total(draft));
}

// twinWithin are the milliseconds in which an equal ticket is asked about.
const twinWithin = 120 * second;

// askTwin asks whether another ticket is meant where this till has sold the same lines just now; Enter sells it. It reports whether it has asked.
function askTwin() {
  const twin = state.mine.find(ticket => ticket.status !== "cancelled" && ticket.currency === desk.catalogue.currency.code && now() - Date.parse(ticket.created_at) < twinWithin && isTwin(ticket, state.draft, digits()));
  if (!twin) return false;
  const seconds = Math.max(1, Math.round((now() - Date.parse(twin.created_at)) / second));
  showOutcome(state.outcome = {kind: "wait", title: say("twin", seconds), twin: state.draft.key, ways: [button("asked", say("twin.sell"), "Enter")]});
  return true;
}

// twinAsked reports whether the page asks about the ticket that is being composed.
const twinAsked = () => state.outcome?.twin === state.draft.key;

// askLarge asks about an amount above what the entity asks about; Enter sells it. It reports whether it has asked.
function askLarge() {
  const title = largeIn(state.draft);
  if (title) showOutcome(state.outcome = {kind: "wait", title, twin: state.draft.key, large: true, ways: [button("asked", say("large.sell"), "Enter")]});
  return Boolean(title);
}

// sellAsked sells after one Enter more.
function sellAsked() {
  if (!state.outcome.large) return sell(false, true);
  agreeTo(state.draft);
  sell();
}

// reached reports whether the server answers again, within two seconds. Without a session it does, too.
async function reached() {
  try {
    await enter(tried);
    showLine("online");
  } catch (e) {
    return !(e instanceof Lost);
  }
  return true;
}

// unreached leaves a ticket of which nothing was sent as it was.
function unreached() {
  state.busy = false;
  composed();
  showOutcome(state.outcome = {kind: "bad", title: say("unreached"), text: say("unreached.text")});
}

function onSaleChange(one, outcome) {
  const mine = Boolean(state.sale) && state.sale.key === one.key;
  if (outcome && mine) {
    state.sale = null;
    state.busy = false;
  }
  // a sale of another entity than the session's waits for one of its own
  if (!outcome && one.state === "ended") { if (!who() || who().entity_id === one.entity) onEnded(); }
  else if (!outcome && one.state === "unknown") showLine("offline");
  else if (outcome) ({sold: onSold, refused: onRefused, unsent: onUnsent}[outcome.state] || composed)(one, outcome, mine);
  pending();
}

function onSold(one, outcome, mine) {
  showLine("online");
  // in the ticket's currency, which may be another than the desk's by now
  const ticket = outcome.ticket, serial = ticket ? ticket.serial_code : outcome.serial, sum = ticket ? amountOf(ticket.total, ticket.currency) : sumOf(one), paid = one.draft.received;
  if (outcome.undone || outcome.detail) return onGivenUp(one, outcome, serial + " · " + sum);
  if (mine && empty()) at("number").focus();
  const text = [serial, sum, ticket?.cuts ? count("sold.cuts", ticket.cuts.length) : ""].filter(Boolean).join(" · ");
  const change = one.draft.payments ? textOf((ticket || one.draft.payments).change || []) : paid ? amount(paid - (ticket ? units(ticket.total, digits()) : one.total)) : "";
  const facts = mine ? [[say("sold.collect"), sum], ...(change ? [[say("change"), change]] : [])] : null;
  state.outcome = {kind: "ok", title: say(mine ? "sold.now" : "sold.late"), text, ways: ticket ? waysOf(ticket, mine) : [], facts};
  if (mine) {
    forgetAmount();
    state.dropped = null;
  }
  showOutcome(state.outcome);
  if (state.draft.key === one.key) replaceDraft(newDraft());
  if (ticket) {
    remember(ticket);
    if (state.guided) store.put("kept", {key: "guided"}).catch(() => {});
    if (mine && !printer.shares()) print(ticket.id, false, printer.takesCash(one.draft));
  }
  panels.sound("sold");
  refresh();
}

// forgetAmount ends the repetition of the last amount with its ticket, unless it is pinned.
function forgetAmount() {
  if (state.pinned) return;
  state.lastAmount = 0;
  at("amount").placeholder = "";
}

// pin keeps the last amount for the next tickets, or does so no longer.
function pin() {
  state.pinned = !state.pinned && state.lastAmount > 0;
  at("pin").setAttribute("aria-pressed", String(state.pinned));
  at("number").focus();
  if (!state.lastAmount) showSaid(say("pin.none"), true);
}

// receive fills in what the customer hands over: an amount, or the total.
function receive(value) {
  state.draft.received = value ? units(value, digits()) : total(state.draft);
  at("received").value = money(state.draft.received, digits());
  at("number").focus();
  keepDraft();
}

// onGivenUp: a sale that was given up had been sold. Where it could not be cancelled any more, it stays in sight.
function onGivenUp(one, outcome, text) {
  showOutcome(state.outcome = outcome.undone ? {kind: "ok", title: say("givenup.undone"), text} : {kind: "bad", title: say("givenup.kept"), text: text + " · " + outcome.detail});
  refreshLate();
  refresh();
}

// waysOf are what can be done with a ticket that was sold just now.
function waysOf(ticket, printed) {
  const shared = printer.shares(), print = button(printed && !shared ? "reprint" : "print", say("print"), "", {"data-id": ticket.id});
  return shared ? [button("share", say("share"), "", {"data-id": ticket.id}), print] : [print];
}

async function onRefused(one, outcome, mine) {
  showLine("online");
  panels.sound("refused");
  const draft = outcome.draft || await store.get("drafts", outcome.renewed);
  if (draft) for (const detail of outcome.lines || []) mark(draft, detail);
  // what fits costs less than was paid
  const part = (outcome.lines || []).find(detail => detail.location === "payments" && detail.available);
  if (mine && draft && state.draft.key === one.key) {
    replaceDraft(draft);
    state.outcome = {kind: "bad", title: outcome.detail, text: refusedLine() ? say("refused.ways") : say("refused.nothing"), keys: Boolean(refusedLine())};
    showOutcome(state.outcome);
    if (draft.lines.some(isClosed)) showAll();
    else if (part && !at("panel").open) askPayments(units(part.available, digits()));
  } else await refreshLate();
  refresh();
}

// refreshLate shows what was refused in the background.
async function refreshLate() {
  state.late = desk.catalogue ? await sale.late(desk.catalogue.entity.id) : [];
  pending();
}

async function seen(key) {
  const entry = state.late.find(one => one.key === key || one.renewed === key);
  if (entry) await sale.seen(entry);
  await refreshLate();
}

function pending() { showPending(sale.openSales(), state.sale, state.late, state.others); }

// cancelLast cancels the last ticket, or the sale on the page whose outcome is not known.
function cancelLast() {
  if (state.sale?.unsure) giveUp(state.sale);
  else if (!sending()) state.mine[0] ? panels.cancel(state.mine[0], refresh) : showSaid(say("said.none"), true);
}

// giveUp asks whether the customer has left, and then has the sale cancelled if it was sold.
function giveUp(one) {
  if (!one) return;
  panels.sure(say("givenup.title", sumOf(one)), say("givenup.ask"), say("givenup.do"), async () => {
    // sold meanwhile
    if (!sale.openSales().includes(one)) throw new Error(say("givenup.late"));
    await sale.giveUp(one);
    if (state.sale === one) begin();
  });
}

// setAside ends the repeats of a sale, of this entity or of another one.
function setAside(one) {
  if (!one) return;
  panels.sure(say("aside.title", sumOf(one)), say("aside.ask", sumOf(one), clock(one.since), one.key), say("aside.do"), async () => {
    if (!await sale.setAside(one)) throw new Error(say("aside.busy"));
    if (state.sale === one) begin();
    await refreshOthers();
  });
}

const sumOf = one => amountIn(one.total, one.body.currency);

async function refreshOthers() {
  state.others = await sale.others(desk.catalogue.entity.id);
  pending();
}

const openSale = key => sale.openSales().concat(state.others).find(one => one.key === key);

// onUnsent: nothing was sent, and the ticket is composed as before.
function onUnsent(one, outcome, mine) {
  composed();
  state.outcome = {kind: "bad", title: say(one.undo ? "givenup.unsent" : "unsent"), text: outcome.detail || "", ways: mine || one.undo ? [] : [button("resume", say("refused.resume"), "", {"data-key": one.key})]};
  showOutcome(state.outcome);
  if (outcome.ended) onEnded();
}

// mark marks the line of a draft that a refusal names, by its place in the request.
function mark(draft, detail) {
  const found = /^items\[(\d+)\]/.exec(detail.location), line = found && draft.lines[Number(found[1])];
  if (!line) return;
  if (detail.code === "DRAW_CLOSED" || detail.code === "UNKNOWN_DRAW") return close(line);
  const room = detail.available === undefined ? -1 : units(detail.available, digits());
  line.refused = {text: room >= 0 ? say("refused.room", amount(room), say("level." + detail.level)) : detail.message, room: room < line.amount ? room : -1};
}

// onEnded asks for the login, unless it is asked for already, and never over another dialog.
function onEnded() {
  showLine("ended");
  state.ended = true;
  // so that connect is tried again
  state.session = null;
  if (state.asking) return;
  state.asking = true;
  if (at("panel").open) at("panel").addEventListener("close", () => setTimeout(askLogin), {once: true});
  else askLogin();
}

async function askLogin() {
  const asked = () => { state.asking = false; };
  try {
    // another window may have logged in meanwhile
    await connect();
    return asked();
  } catch (e) {
    if (!(e instanceof Ended)) {
      state.ended = false;
      return asked();
    }
  }
  // another dialog may have been opened meanwhile
  if (at("panel").open) return at("panel").addEventListener("close", () => setTimeout(askLogin), {once: true});
  await login(connect, state.login).catch(asked);
  at("panel").addEventListener("close", asked, {once: true});
}

// print prints the receipt of a sale, and reprint a copy of it. So is the next one where a part of the receipt may be on paper.
async function print(id, copy = false, cash = false) {
  try {
    await printer.print("/sales/tickets/" + id + "/receipt", {copy, cash});
  // the ticket is sold all the same
  } catch (e) {
    showOutcome(state.outcome = {kind: "wait", title: say("print.failed"), text: e.message, ways: [button(copy || e.begun ? "reprint" : "print", say("print.again"), "", {"data-id": id})]});
  }
}

const reprint = id => print(id, true);

function remember(ticket) {
  ticket.shown = amountOf(ticket.total, ticket.currency);
  for (const list of ["last", "mine"]) state[list] = [ticket, ...state[list].filter(other => other.id !== ticket.id)].slice(0, 20);
  showLast(state);
}

// ---- what the server knows

async function guard(work) {
  if (state.ended) return onEnded();
  try {
    await work();
    showLine("online");
  } catch (e) {
    if (e instanceof Ended) onEnded();
    else if (!(e instanceof Refused)) showLine("offline");
    if (!(e instanceof Ended || e instanceof Lost || state.barred)) console.error(e);
  }
}

let readings = 0, counted = 0;

// refreshLast reads the last tickets. Those that this browser has sold are meant by the keys, and not those of another till of the ticket point.
async function refreshLast() {
  const mine = () => state.mine.length ? state.mine[0].id : "", newest = mine(), turn = readings += 1, {data} = await get("/sales/tickets?page_size=20&entityId=" + desk.catalogue.entity.id);
  const journal = await store.all("journal");
  // a ticket was sold meanwhile, or the tickets were asked for again
  if (newest !== mine() || turn !== readings) return;
  // the journal gets a sale after it was reported
  const own = new Set([...state.mine, ...journal].map(entry => entry.id));
  for (const ticket of data) ticket.shown = amountOf(ticket.total, ticket.currency);
  // other tills may have sold more than a page since
  const read = new Set(data.map(ticket => ticket.id));
  state.mine = [...data.filter(ticket => own.has(ticket.id)), ...state.mine.filter(ticket => !read.has(ticket.id))].slice(0, 20);
  state.last = state.mine.length ? state.mine : data;
  // a browser that sold before there was a guide
  if (state.mine.length && !state.outcome) state.guided = false;
  showLast(state);
  // a link of the panel repeats a ticket
  const {hash} = location;
  location.hash = "";
  if (hash) repeat(data.find(ticket => hash.includes(ticket.id)));
}

async function refreshQuota() {
  await renewQuota();
  const quota = desk.quota;
  // another currency was chosen meanwhile
  if (!quota) return;
  const today = quota.sold_today;
  if (quota.available !== null) quota.shown = amount(units(quota.available, digits()));
  if (today) {
    // the totals, of the desk's currency, follow some seconds behind the sales of this browser; of older ones it is not known what they count
    const newer = Date.parse(today.as_of) < now() - 30 * second ? [] : state.mine.filter(ticket => ticket.status !== "cancelled" && ticket.currency === desk.catalogue.currency.code && today.as_of && Date.parse(ticket.created_at) > Date.parse(today.as_of));
    quota.soldShown = amount(newer.reduce((sum, ticket) => sum + units(ticket.total, digits()), units(today.amount, digits()))) + " · " + count("tickets", today.tickets + newer.length);
  }
  showHead(state);
}

async function refreshRooms() {
  if (document.hidden || !state.game) return;
  const {grid, parts} = shapes[state.bet], whole = grid && parts === 1, cells = cellsOf(state.game, state.bet);
  const picks = whole ? [] : cells.length === 100 && parts === 1 ? cells.map(cell => [cell.code]) : state.read.picks.slice(0, 50);
  if (whole || picks.length) await renewRooms(Array.from(state.chosen), state.bet, picks);
  showGrid(state);
  // an answer to a key stays until something is typed
  if (!empty()) sayEntry();
}

// refresh reads what a sale or a cancellation changes. What was sold today follows it some seconds later.
function refresh() {
  guard(async () => Promise.all([refreshLast().then(refreshQuota), refreshRooms()]));
  clearTimeout(counted);
  counted = setTimeout(() => state.ended || guard(refreshQuota), countedAfter);
}

async function refreshDesk() {
  if (document.hidden) return;
  if (!state.session) await connect();
  else if (await renew()) showAll();
}

// ---- what is done

const actions = {
  mode: element => choose(modes.find(mode => mode.name === element.dataset.mode)),
  bet: element => choose(state.mode, element.dataset.bet),
  draw: element => toggle(element.dataset.draw),
  draws: () => drawTable(candidates(), state.chosen, chooseDraws),
  element: element => pick(element.dataset.code),
  drop: element => drop(lineOf(element)),
  lower: () => mend(lower),
  remove: () => mend(drop),
  lines: () => at("lines").focus(),
  move: () => moveClosed(),
  unmove: () => removeClosed(),
  agree: () => state.question ? answer() : agree(),
  giveup: element => giveUp(openSale(element.dataset.key)),
  aside: element => setAside(openSale(element.dataset.key)),
  partial: () => sell(true),
  sell: () => sellForCash(),
  payments: () => askPayments(),
  new: () => begin(),
  currency: () => nextCurrency(),
  resume: element => takeUp(element.dataset.key).catch(failed),
  seen: element => seen(element.dataset.key),
  share: element => printer.share("/sales/tickets/" + element.dataset.id + "/receipt").catch(failed),
  skip: () => guided(),
  undo: () => undoNew().catch(failed),
  print: element => print(element.dataset.id),
  reprint: element => reprint(element.dataset.id),
  help: () => panels.help(),
  customer: () => sending() || customer(state.draft, keepDraft, repeat),
  again: () => sending() || repeats(state.mine, repeat),
  consult: () => prizes.consult(reprint, refresh),
  camera: () => camera(serial => prizes.scan(serial, reprint, refresh)),
  open: element => guard(() => prizes.ticket(element.dataset.id, reprint, refresh)),
  person: () => person(connect, leave).catch(failed),
  pay: () => prizes.pay(refresh),
  cancel: element => panels.cancel(state.last.find(ticket => ticket.id === element.dataset.id), refresh),
  repeat: element => repeat(state.last.find(ticket => ticket.id === element.dataset.id)),
  printer: () => settings(),
  close: async () => (await store.all("open")).some(one => one.entity === desk.catalogue.entity.id) ? showOutcome(state.outcome = {kind: "wait", title: say("close.open")}) : guard(() => dayOfDrawer.day(path => printer.print(path).catch(e => showSaid(e.message, true)), refresh)),
  list: () => takeList(""),
  asked: () => sellAsked(),
  pin: () => pin(),
  receive: element => receive(element.dataset.value),
  results: () => guard(results),
  requests: () => guard(panels.requests),
};

// choose changes the kind of bet. Each mode keeps its choice of draws; another bet of the mode is on the same draws, as far as their games offer it.
function choose(mode, bet) {
  const wanted = new Set([...(state.filled ? [] : state.chosen), ...state.aside]), held = state.held;
  state.before = null;
  if (mode !== state.mode) state.kept.set(state.mode.name, {wanted, held});
  const kept = mode === state.mode ? {wanted, held} : state.kept.get(mode.name) || {wanted: [], held: []};
  state.mode = mode;
  state.bet = bet || mode.bets.find(one => state.bets.includes(one)) || mode.bets[0];
  const known = Array.from(kept.wanted, id => desk.draws.get(id)).filter(Boolean), not = known.filter(draw => gameOf(draw) && !rule(gameOf(draw), state.bet));
  state.aside = new Set(not.map(draw => draw.id));
  state.chosen = new Set(Array.from(kept.wanted).filter(id => !state.aside.has(id)));
  at("number").value = "";
  changed(kept.held.filter(draw => !state.aside.has(draw.id)));
  if (not.length) showSaid(say("draws.not", Array.from(new Set(not.map(nameOfGame))).join(", ")), true);
}

// changed shows what the cashier has chosen. Of the held draws those that have closed are said, and replaced.
function changed(held = []) {
  at("number").focus();
  state.held = held;
  state.filled = false;
  state.moved = state.over = state.asked = "";
  state.question = null;
  showAll();
  sayEntry();
  guard(refreshRooms);
}

function toggle(id) {
  const added = !state.chosen.delete(id) && desk.draws.get(id);
  if (added) addDraws([added]);
  else changed();
}

function addDraws(added) { chooseDraws([...state.chosen, ...added.map(draw => draw.id)]); }

// chooseDraws chooses draws by their ids. The lines of the ticket are offered for those that were not chosen before.
function chooseDraws(ids) {
  const before = state.chosen;
  state.chosen = new Set(ids);
  state.aside.clear();
  changed(Array.from(state.chosen, id => desk.draws.get(id)).filter(Boolean));
  offerLines(chosenDraws().filter(draw => !before.has(draw.id)));
}

// offerLines asks whether the lines of the ticket go on other draws, too.
function offerLines(added) {
  const {made, not} = spread(state.draft.lines, added, lineOn);
  if (!made.length || state.busy) return;
  propose(say("draws.spread", count("lines", made.length), namesOf(added), amount(total(state.draft) + total({lines: made}))) + (not ? " " + say("draws.spread.not", not) : ""), () => {
    if (sending()) return;
    const wrong = addAll(spread(state.draft.lines, added.filter(draw => draw.stop > now()), lineOn).made);
    if (wrong) showSaid(wrong, true);
    else changedLines();
  });
}

// propose asks beside the draws what Enter on empty fields does.
function propose(text, act) {
  state.question = {text, act};
  guardEnter();
  showMoved(state);
}

function answer() {
  const {act} = state.question;
  unask();
  at("number").focus();
  act();
}

function unask() {
  if (!state.question) return;
  state.question = null;
  showMoved(state);
}

// onlyOne leaves the next one of several chosen draws.
function onlyOne() {
  const {moved} = state;
  state.before = null;
  if (state.chosen.size < 2) return;
  chooseDraws(chosenDraws().slice(0, 1).map(draw => draw.id));
  // it may be one that has replaced a closed draw
  state.moved = state.moved || moved;
  showMoved(state);
}

// chooseNext adds the next draw that is not chosen yet.
function chooseNext() {
  const next = candidates().find(draw => !state.chosen.has(draw.id));
  if (next) addDraws([next]);
}

// draws that are chosen at once without a question
const many = 6;

// chooseHour chooses all draws of this bet in the hour of the first chosen one. Where they are chosen, the choice is again what it was.
function chooseHour() {
  const [first] = chosenDraws();
  if (!first) return;
  const all = candidates().filter(draw => hourOf(draw) === hourOf(first)), more = all.filter(draw => !state.chosen.has(draw.id));
  if (!more.length) return all.length > 1 && chooseDraws(state.before?.size ? state.before : [first.id]);
  const add = () => {
    state.before = new Set(state.chosen);
    addDraws(more);
  };
  if (all.length > many) propose(say("draws.many", count("of.draws", all.length), clock(hourOf(first))), add);
  else add();
}

function chooseFollowing(count) {
  const [first] = chosenDraws();
  if (first) chooseDraws(candidates().filter(draw => draw.game_id === first.game_id).slice(0, count).map(draw => draw.id));
}

function pick(code) {
  const number = at("number"), parts = number.value.split(",").filter(part => part && !part.startsWith("?")), at0 = parts.findIndex(part => part === keyed(code));
  if (at0 >= 0) parts.splice(at0, 1);
  else parts.push(keyed(code));
  number.value = parts.join(",");
  state.asked = "";
  if (!narrow.matches) at("amount").focus();
  showEntry();
}

// repeat puts the lines of a sold ticket into the draft, where asked for on another game, or with one stake for each.
function repeat(ticket, {game, stake} = {}) {
  if (!ticket) return showSaid(say("said.none"), true);
  if (ticket.currency !== desk.catalogue.currency.code) return showSaid(say("said.currency", unitOf(ticket.currency)), true);
  if (sending()) return;
  const had = new Set();
  let left = 0;
  for (const [draw, lines] of targets(ticket, game)) for (const line of lines) {
    const key = draw && lineKey({draw: draw.id, bet: line.bet_type, codes: picked(line)});
    // of several games that go to one game an equal line goes once
    if (game && had.has(key)) continue;
    had.add(key);
    left += !again(draw, line, stake);
  }
  keepDraft();
  showSaid(left ? count("said.repeat", left) : "");
}

// again adds a line of a sold ticket on a draw. It reports whether it could.
function again(draw, line, stake) {
  const codes = picked(line), game = draw && gameOf(draw);
  if (!game || foreign() || !takes(game, {bet: line.bet_type, codes}) || state.draft.lines.length >= desk.catalogue.rules.max_lines) return false;
  add(state.draft, lineOn(draw, line.bet_type, codes, nameIn(game, line.bet_type, codes), stake || units(line.amount, digits())));
  return true;
}

// ---- keys

const functionKeys = {
  F1: "help", F2: "new", F3: "draws", F6: "customer", F7: "consult", F8: "pay", F11: "close", F12: "sell",
};

function onKey(event) {
  if (at("panel").open) return;
  // a key that is held answers no question
  if (event.key === "Enter" && event.repeat) return event.preventDefault();
  if (event.key === "F4" && !event.altKey) return done(event, chooseHour);
  if (event.key === "F5") return done(event, () => panels.following(chooseFollowing));
  if (event.key === "F3" && event.shiftKey) return done(event, () => takeList(""));
  if (event.key === "F7" && event.shiftKey) return done(event, actions.results);
  if (event.key === "F12" && event.shiftKey) return done(event, askPayments);
  if (event.key === "F9" && event.shiftKey) return done(event, actions.again);
  if (event.key === "F9") return done(event, () => repeat(state.mine[0]));
  if (event.key === "F10") return done(event, cancelLast);
  if (functionKeys[event.key]) return done(event, () => actions[functionKeys[event.key]]());
  if (event.key === "Enter" && event.ctrlKey) return done(event, sellForCash);
  if (event.key === "$") return done(event, nextCurrency);
  if (event.key.toLowerCase() === "z" && event.ctrlKey && !event.target.value && !state.draft.lines.length) return done(event, () => undoNew().catch(failed));
  if (scanned(event)) return;
  if (event.target === at("received")) {
    if (event.key === "Enter") done(event, sellForCash);
    return;
  }
  if (event.target.matches("input, body, #lines")) onTyped(event);
}

function done(event, work) {
  event.preventDefault();
  work();
}

// scanned recognises what a scanner has typed into a field, followed by Enter: a serial code or the address of a ticket. It takes it out of the field
// again, so that a scan in the middle of an amount leaves the amount as it was.
function scanned(event) {
  const field = event.target, found = event.key === "Enter" && field.matches("#number, #amount, #received") && prizes.scanOf(field.value);
  if (!found) return false;
  event.preventDefault();
  unask();
  field.value = found.before;
  onInput({target: field, inputType: "deleteContentBackward"});
  prizes.scan(found.serial, reprint, refresh);
  return true;
}

// named reports whether a name is typed in place of a number: Enter after it goes on to the amount.
const named = text => /[a-z]{2}/i.test(text) && shapes[state.bet].grid;

const empty = () => !at("number").value && !at("amount").value;

function onTyped(event) {
  switch (event.key) {
  case "End": if (empty()) done(event, () => at("received").focus()); return;
  case "ArrowUp": return done(event, () => move(-1));
  case "ArrowDown": return done(event, () => move(1));
  case "Delete": if (empty()) done(event, () => state.draft.lines.some(isClosed) ? removeClosed() : drop(refusedLine() || state.current)); return;
  case "Escape": return done(event, back);
  case "Enter": if (empty()) done(event, onEmptyEnter); return;
  }
  if (event.target !== document.body || event.key.length !== 1 || event.ctrlKey || event.altKey || event.metaKey) return;
  if (instead(event.key)) event.preventDefault();
  // which gets the character
  else at("number").focus();
}

// instead does what a character means where it is no part of a number or an amount. It reports whether it did.
function instead(character) {
  if (character === "+") chooseNext();
  else if (character === "-" && empty()) drop(state.current || state.draft.lines[state.draft.lines.length - 1]);
  else return false;
  return true;
}

// unheard reports whether an insertion is no answer to the question about a draw that has closed, or about a large amount: the cashier types on without a look
// at the page. Nothing is taken then until Esc, neither for this line nor as the next one.
function unheard(event) {
  const stake = at("amount").value ? typedAmount(at("amount").value, digits()) : state.lastAmount, moved = state.moved && (at("amount").value || event.target === at("number"));
  if (state.asked && (moved || isLarge(stake)) && !/^delete|LineBreak$/.test(event.inputType)) {
    state.asked = "";
    unheardFor(state.moved ? "ask.unheard" : "large.unheard");
  }
  return Boolean(state.deaf);
}

// unheardFor takes nothing until Esc, and says why.
function unheardFor(reason) {
  state.deaf = say(reason);
  sayEntry();
}

// onInsert sees each character before it is in a field, whether it comes from a key or from the keyboard of a telephone.
function onInsert(event) {
  const number = at("number"), paid = at("amount");
  if (event.target !== number && event.target !== paid) return;
  if (unheard(event)) return event.preventDefault();
  if (!event.data || event.data.length > 1) return;
  if (instead(event.data)) return event.preventDefault();
  if (event.target === paid && !paid.value && number.value && /^[,*\-p/]$/i.test(event.data)) { // more numbers, not an amount
    event.preventDefault();
    number.focus();
    number.value += event.data;
    advance();
    showEntry();
  }
}

// onEmptyEnter: where a draw has closed Enter moves its lines; after a refusal it lowers the line; after a sale it begins anew.
function onEmptyEnter() {
  at("number").focus();
  if (state.draft.lines.some(isClosed)) moveClosed();
  else if (refusedLine()) lower(refusedLine());
  else if (twinAsked()) sellAsked();
  else if (state.question) answer();
  else if (state.outcome) showOutcome(state.outcome = null);
  else if (state.moved) agree();
}

// agree goes on with the draws that have replaced closed ones.
function agree() {
  state.moved = "";
  showMoved(state);
  at("number").focus();
}

function back() {
  const number = at("number"), paid = at("amount");
  number.focus();
  state.asked = state.deaf = "";
  if (paid.value) paid.value = "";
  else if (number.value) number.value = "";
  else if (state.outcome || state.question) {
    showOutcome(state.outcome = null);
    unask();
  } else onlyOne();
  showEntry();
}

function onInput(event) {
  if (event.target === at("received")) {
    state.draft.received = typedAmount(event.target.value, digits());
    return keepDraft();
  }
  state.asked = "";
  if (event.target === at("number") && event.inputType !== "deleteContentBackward") advance();
  showEntry();
  if (/^p$/i.test(at("number").value) && refusedLine()) setTimeout(sellWhatFits, alone);
}

// sellWhatFits sells the part of a refused ticket that fits, if P is all that was typed: a serial code may begin with it.
function sellWhatFits() {
  if (!/^p$/i.test(at("number").value)) return;
  at("number").value = "";
  sell(true);
}

// advance goes on to the amount as soon as the number is whole. A focus lays the page out: it comes before what changes the page.
function advance() {
  if (!complete(at("number").value, state.bet)) return;
  readEntry();
  if (!state.read.problem) at("amount").focus();
}

// ---- the page

document.addEventListener("keydown", onKey);
// a browser may pass the press of a key that was handled when it went down to the field that has the focus since
let handled = "";
document.addEventListener("keydown", event => { handled = event.defaultPrevented ? event.key : ""; });
document.addEventListener("keypress", event => { if (event.key === handled) event.preventDefault(); });
document.addEventListener("beforeinput", onInsert);
document.addEventListener("focusin", guide);
document.addEventListener("paste", event => {
  const text = event.clipboardData ? event.clipboardData.getData("text") : "";
  if (at("panel").open || prizes.scanOf(text) || !isList(text)) return;
  event.preventDefault();
  takeList(text);
});
document.addEventListener("input", event => {
  if (event.target.closest("#entry, .change")) onInput(event);
});
document.addEventListener("click", event => {
  const element = event.target.closest("[data-do]"), act = element && actions[element.dataset.do];
  if (!act || element.disabled) return;
  event.preventDefault();
  act(element);
});
at("entry").addEventListener("submit", event => {
  event.preventDefault();
  addEntry(true);
});
addEventListener("online", () => {
  sale.repeatNow();
  refresh();
});
addEventListener("offline", () => showLine("offline"));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});

// connect begins with the session of the browser. What belongs to another entity than the session's stays stored for it.
async function connect() {
  state.again = performance.now() + roomsEvery;
  const session = await admitted();
  state.barred = "";
  renewSeller(session);
  state.session = session;
  state.login = session.login;
  showLine("online");
  showAll();
  sale.resume(session.entity_id).then(refreshLate).catch(console.error);
  sale.repeatNow();
  await adopt(session.entity_id);
  follow();
  refresh();
  guard(refreshOthers);
  guard(() => dayOfDrawer.takeOver(session.user_id));
  keepPage();
}

// renewSeller begins anew for another cashier, or another ticket point. The same cashier, whose session has only ended, still means the game that is over.
function renewSeller(session) {
  const seller = session.entity_id + " " + session.user_id;
  if (state.seller && state.seller !== seller) {
    // the ticket that was dropped names a customer of the cashier before
    state.dropped = null;
    if (empty() && !state.draft.lines.length) state.over = "";
  }
  state.seller = seller;
}

// admitted returns the session of the browser, with the catalogue of its ticket point.
async function admitted() {
  let session;
  try {
    session = await enter();
    state.ended = false;
    if (desk.catalogue && desk.catalogue.entity.id !== session.entity_id) {
      state.mine = [];
      desk.currency = "";
    }
    if (state.draft.entity && state.draft.entity !== session.entity_id) replaceDraft(newDraft());
    await renew();
  } catch (e) {
    if (e instanceof Refused && !e.later && !e.unknown) bar(session ? say("barred.who", session.name, session.entity) : e.message);
    throw e;
  }
  return session;
}

// bar says once that the user of the session cannot sell.
function bar(text) {
  showLine("barred");
  if (!state.barred && !at("panel").open) panels.barred(text, leave);
  state.barred = text;
}

// leave ends the session, so that another user logs in over the page.
async function leave() {
  await call("POST", "/auth/logout");
  state.barred = state.login = "";
  setTimeout(() => guard(connect));
}

// keepPage lets the browser keep the page of this release, which it can with a session only.
function keepPage() {
  if (navigator.serviceWorker) navigator.serviceWorker.register("/vender/worker.js", {scope: "/vender"}).then(worker => worker.update()).catch(() => {});
}

// ---- news

let news = null;
const soon = {};

// later does a piece of work once, soon after the last of several events: a limit of the operator changes on all counters at the same time.
function later(name, work) {
  clearTimeout(soon[name]);
  soon[name] = setTimeout(() => guard(work), 200 + Math.random() * 800);
}

// follow hears what changes limits, draws and tickets. What is lost meanwhile is read by the rounds of every ten seconds and every minute.
function follow() {
  if (news && news.readyState !== EventSource.CLOSED || !window.EventSource) return;
  news = new EventSource("/vender/news");
  news.addEventListener("limits.changed", () => later("rooms", refreshRooms));
  news.addEventListener("draw.closed", () => later("desk", refreshDesk));
  news.addEventListener("ticket.updated", () => later("last", () => refreshLast().then(refreshQuota)));
  news.addEventListener("connected", () => later("all", async () => Promise.all([refreshDesk(), refreshRooms()])));
}

// ---- the first sale

// guide leads a new cashier through the first sale: each step is what is to be done next.
function guide() {
  const box = at("guide");
  box.hidden = !state.guided || !state.session;
  if (box.hidden) return;
  const typed = at("number").value, step = state.outcome?.kind === "ok" ? 5 : state.draft.lines.length && !typed ? 4 : typed && !state.read.problem && document.activeElement === at("amount") ? 3 : chosenDraws().length ? 2 : 1;
  if (box.dataset.step === String(step)) return;
  box.dataset.step = step;
  box.replaceChildren(el("strong", {}, say("guide.step", Math.min(step, 4))), " ", say("guide." + step), " ", button("skip", say(step < 5 ? "guide.skip" : "guide.end")));
}

// guided ends the guide, for good.
function guided() {
  state.guided = false;
  store.put("kept", {key: "guided"}).catch(() => {});
  guide();
  at("number").focus();
}

async function start() {
  sale.listen(onSaleChange);
  store.keep();
  hold(state.draft.key);
  at("number").focus();
  // some browsers never answer the first question
  await within(2 * second, recall());
  if (desk.catalogue) showAll();
  if (desk.catalogue) await within(2 * second, adopt(desk.catalogue.entity.id));
  setInterval(tick, second / 4);
  setInterval(() => desk.fresh && !state.ended && guard(refreshRooms), roomsEvery);
  setInterval(() => state.ended || guard(refreshDesk), deskEvery);
  setInterval(() => state.session && !state.ended && follow(), deskEvery);
  await within(2 * second, store.get("kept", "guided").then(kept => {
    state.guided = !kept;
  }));
  await guard(connect);
}

function tick() {
  const {draws, tickets} = countDown();
  guide();
  const closed = state.draft.lines.filter(isClosed).length;
  if (draws || closed !== state.closed) showAll();
  state.closed = closed;
  if (tickets) showLast(state);
  if (!state.session && !state.ended && performance.now() > state.again) guard(connect);
}

start();
