// Draws the state of the counter. It changes nothing of it, and calls no operation.
import {now} from "./pos-api.js";
import {desk, digitsOf, gameOf, isClosed, isUnsold, onSale, otherCurrencies, roomOf, unitOf} from "./pos-desk.js";
import {ofUnsold, shapes} from "./pos-entry.js";
import {clock, count, left, money, say, seconds, when} from "./pos-format.js";
import {guardEnter} from "./pos-guard.js";
import {best, prize, total} from "./pos-ticket.js";

export const at = id => document.getElementById(id);

// narrow tells whether the page has the layout of a telephone; innerWidth would lay the page out to tell it.
export const narrow = matchMedia("(max-width: 700px)");

// el makes an element of a tag with its classes, such as "span.name", its attributes and its content.
export function el(tag, attributes = {}, ...content) {
  const [name, ...classes] = tag.split("."), element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...content.filter(part => part || part === 0));
  return element;
}

export const key = text => el("kbd", {}, text);

export function button(action, text, shortcut, attributes = {}) {
  return el("button", {type: "button", "data-do": action, ...attributes}, text, ...(shortcut ? [" ", key(shortcut)] : []));
}

const digits = () => desk.catalogue ? desk.catalogue.currency.digits : 2;
export const amount = units => money(units, digits());

// amountIn writes an amount of minor units of a currency, with its symbol where that is not the desk's.
export const amountIn = (units, code) => !code || !desk.catalogue || code === desk.catalogue.currency.code ? amount(units) : money(units, digitsOf(code)) + " " + unitOf(code);

export function setText(id, text) {
  const element = at(id);
  if (element.textContent !== text) element.textContent = text;
}

export function showLine(kind) {
  const line = at("line");
  line.className = "state " + ({online: "ok", opening: "wait"}[kind] || "bad");
  line.dataset.kind = kind;
  if (line.textContent !== say("line." + kind)) line.textContent = say("line." + kind);
}

// offline reports whether the page says that there is no line, or the browser knows that there is none.
export const offline = () => navigator.onLine === false || at("line").dataset.kind === "offline";

export function showHead(state) {
  setText("entity", state.session ? state.session.entity : desk.catalogue ? desk.catalogue.entity.name : "");
  setText("cashier", state.session ? state.session.name : "");
  at("cashier").hidden = !state.session;
  const quota = desk.quota;
  setText("quota", !quota ? "–" : quota.available === null ? say("quota.none") : quota.shown);
  at("quota").classList.toggle("low", Boolean(quota) && quota.low);
  at("money").hidden = !otherCurrencies().length;
  setText("money", desk.catalogue ? unitOf(desk.catalogue.currency.code) : "");
  setText("sold", !quota || !quota.sold_today ? "–" : quota.soldShown);
}

export function showModes(state, modes) {
  at("modes").replaceChildren(...modes.map(mode => button("mode", say("mode." + mode.name), "", {"data-mode": mode.name, "aria-pressed": String(mode.name === state.mode.name)})));
  const bets = state.mode.bets.filter(bet => state.bets.includes(bet));
  at("bets").hidden = bets.length < 2;
  at("bets").replaceChildren(...bets.map(bet => button("bet", say("bet." + bet), "", {"data-bet": bet, "aria-pressed": String(bet === state.bet)})));
}

export function tone(milliseconds) { return milliseconds < 120000 ? "bad" : milliseconds < 600000 ? "wait" : "off"; }

function drawChip(draw, chosen) {
  const remaining = Date.parse(draw.sale_stop_at) - now();
  return el("button.draw", {type: "button", "data-do": "draw", "data-draw": draw.id, "aria-pressed": String(chosen)},
    el("b", {}, gameOf(draw).name), " " + when(draw.draw_time, now()) + " ", el("span.state." + tone(remaining), {"data-stop": draw.sale_stop_at}, left(remaining)));
}

// draws that are shown: the chosen ones, and as many of the next ones. Two lines show those of them that fit.
const shownDraws = 8;

export function showDraws(state, draws) {
  const chosen = draws.filter(draw => state.chosen.has(draw.id)), next = draws.filter(draw => !state.chosen.has(draw.id)).slice(0, Math.max(0, shownDraws - chosen.length));
  at("draws").replaceChildren(...chosen.concat(next).map(draw => drawChip(draw, state.chosen.has(draw.id))), ...(draws.length || !desk.catalogue ? [] : [el("p.faint", {}, say("draws.none"))]));
}

// showUnused marks chosen draws without a line of the ticket.
export function showUnused({chosen, draft}) {
  const used = new Set(draft.lines.map(line => line.draw));
  for (const chip of at("draws").querySelectorAll(".draw")) {
    const unused = used.size > 0 && chosen.has(chip.dataset.draw) && !used.has(chip.dataset.draw);
    chip.classList.toggle("unused", unused);
    chip.title = unused ? say("draws.unused") : "";
  }
}

// showMoved says which draws have taken the place of closed ones, why none is chosen, or what Enter does to draws and lines.
export function showMoved({moved, over, question}) {
  const strip = at("moved"), said = question ? question.text : moved || over;
  strip.hidden = !said;
  strip.classList.toggle("bad", Boolean(over) && !question);
  strip.replaceChildren(said, " ", ...(question || moved ? [button("agree", say(question ? "draws.answer" : "draws.agree"), "Enter")] : []));
}

// showClosed offers what can be done with the lines of closed draws, each with the draw where it could go.
export function showClosed(moves) {
  const box = at("closed"), groups = new Map();
  for (const {line, to} of moves) {
    const name = line.draw + (to ? to.id : "");
    groups.set(name, {line, to, lines: (groups.get(name) || {lines: 0}).lines + 1});
  }
  box.className = "outcome " + (moves.length ? "wait" : "");
  box.replaceChildren(...Array.from(groups.values(), ({line, to, lines}) => el("strong", {}, say("closed." + (to ? "next" : "over"), line.game + " " + clock(line.time), count("lines", lines), to ? clock(to.draw_time) : ""))),
    ...(moves.some(move => move.to) ? [button("move", say("closed.move"), "Enter")] : []), ...(moves.length ? [button("unmove", say("closed.remove"), say("key.delete"))] : []));
}

// countDown writes what is left of each draw, and until tickets can be cancelled; it reports which of them have ended.
export function countDown() {
  const ended = {draws: false, tickets: false};
  for (const chip of document.querySelectorAll("[data-stop]")) {
    const remaining = Date.parse(chip.dataset.stop) - now(), text = left(remaining);
    if (remaining <= 0 && chip.closest("#draws, #lines")) ended.draws = true;
    if (remaining <= 0 && chip.closest("#last")) ended.tickets = true;
    if (chip.textContent !== text) chip.textContent = text;
    const kind = "state " + tone(remaining);
    if (chip.className !== kind) chip.className = kind;
  }
  setText("clock", seconds(now()));
  return ended;
}

// tightest is what is left of a pick in the draws that are chosen.
export function tightest(state, codes) {
  let found;
  for (const draw of state.chosen) {
    const room = roomOf(draw, state.bet, codes);
    if (room && (!found || room.left < found.left)) found = room;
  }
  return found;
}

// unsoldIn reports whether nobody has a pick in any of the chosen draws.
export const unsoldIn = (state, codes) => state.chosen.size > 0 && Array.from(state.chosen).every(draw => isUnsold(draw, state.bet, codes));

// cellsOf are the numbers that are shown to be chosen: the elements of a game, or the hundred of a bet on two digits.
export function cellsOf(game, bet) {
  const shape = shapes[bet];
  if (shape.grid) return game.elements;
  return shape.digits === 2 && !shape.sign ? Array.from({length: 100}, (_, n) => ({code: String(n).padStart(2, "0"), name: ""})) : [];
}

export function showGrid(state) {
  const grid = at("grid"), cells = state.game ? cellsOf(state.game, state.bet) : [], what = state.game ? state.game.id + state.bet : "";
  if (grid.dataset.of !== what) {
    grid.dataset.of = what;
    grid.className = "grid" + (shapes[state.bet].grid ? "" : " numbers");
    grid.replaceChildren(...cells.map(e => el("button.cell", {type: "button", "data-do": "element", "data-code": e.code, tabindex: "-1"},
      el("b", {}, e.code), e.name && el("span", {}, e.name), el("i.meter", {"aria-hidden": "true"}, el("i")))), ...(state.game && !cells.length ? [el("p.empty", {}, say("how." + (shapes[state.bet].sign ? "sign" : "digits")))] : []));
  }
  if (!cells.length) return;
  const picked = new Set(state.read.picks.map(pick => pick[0]));
  const filtered = ofUnsold(at("number").value);
  for (const cell of grid.children) showCell(cell, tightest(state, [cell.dataset.code]), picked.has(cell.dataset.code), filtered && !unsoldIn(state, [cell.dataset.code]));
}

// showCell writes to a cell only what differs: the grid is shown at every key.
function showCell(cell, room, picked, had) {
  const looks = [picked, had, room?.left, room?.share, room?.level].join(" ");
  if (cell.looks === looks) return;
  cell.looks = looks;
  const share = room ? room.share : 0, bar = cell.lastChild.firstChild;
  cell.setAttribute("aria-pressed", picked);
  cell.classList.toggle("blocked", room?.left === 0);
  cell.classList.toggle("had", had);
  cell.title = room ? say("room", amount(room.left), say("level." + room.level)) : "";
  bar.style.width = Math.round(share * 100) + "%";
  bar.className = share >= 0.9 ? "b" : share >= 0.6 ? "w" : "";
}

// groups are the lines of a draft by game and draw, in the order in which they were typed.
function groups(draft) {
  const found = new Map();
  for (const line of draft.lines) {
    if (!found.has(line.draw)) found.set(line.draw, []);
    found.get(line.draw).push(line);
  }
  return Array.from(found.values());
}

function lineRow(state, line) {
  const closed = isClosed(line), marked = closed ? null : line.refused, index = state.draft.lines.indexOf(line);
  return el("div.row" + (marked || closed ? ".no" : "") + (closed ? ".closed" : "") + (state.current === line ? ".current" : ""), {"data-line": index},
    el("b", {}, line.codes.join(" ")), el("span", {}, line.name, line.bet === "straight" ? "" : el("small", {}, " " + say("bet." + line.bet))), el("span.number", {}, amount(line.amount)),
    closed ? el("span.wins.why", {}, say("closed")) : el("span.wins", {}, marked ? "" : say("wins", amount(prize(line)))), button("drop", "×", "", {"data-line": index, "aria-label": say("drop"), tabindex: "-1"}),
    ...(marked ? [el("span.why", {}, marked.text), line === firstRefused(state.draft) && waysOut(marked)] : []));
}

// firstRefused is the marked line that the keys mean.
export const firstRefused = draft => draft.lines.find(line => line.refused);

const waysOut = marked => el("span.ways", {}, marked.room > 0 && button("lower", say("lower", amount(marked.room)), "Enter"), button("remove", say("remove"), say("key.delete")), button("partial", say("partial"), "P"));

export function showTicket(state) {
  // a line of a closed draw costs and wins nothing: the ticket is not sold with it
  const draft = state.draft, list = groups(draft), live = {lines: draft.lines.filter(line => !isClosed(line))}, sum = total(live);
  at("lines").replaceChildren(...list.flatMap(lines => [el("h2", {}, lines[0].game + " · " + when(lines[0].time, now())), ...lines.map(line => lineRow(state, line))]),
    ...(list.length ? [] : beginning()));
  setText("count", list.length ? count("lines", draft.lines.length) + " · " + count("of.draws", list.length) : "");
  setText("total", amount(sum));
  at("total").parentElement.classList.toggle("faint", !sum);
  showNotes(sum);
  showMend(firstRefused(draft));
  setText("second", desk.catalogue ? inAnother(sum) : "");
  setText("currency", desk.catalogue ? unitOf(desk.catalogue.currency.code) : "");
  setText("wins", live.lines.length ? say("ticket.wins", amount(best(live))) : "");
  setText("customer", draft.customer ? draft.customer.name || draft.customer.phone : say("customer"));
  setText("change", draft.received ? amount(draft.received - sum) : "–");
  at("change").parentElement.hidden = !draft.received;
  at("change").classList.toggle("short", draft.received > 0 && draft.received < sum);
  setText("sells", say(draft.lines.length ? "sell" : "sell.first"));
  at("sell").disabled = !draft.lines.length || state.busy;
}

// times of the next draws that an empty ticket shows, and games of each
const shownNext = 3;

// beginning is what an empty ticket shows: the draws whose sale stops next, and how a ticket is sold.
function beginning() {
  const draws = onSale(Object.keys(shapes)), stops = Array.from(new Set(draws.map(draw => draw.stop))).sort((a, b) => a - b).slice(0, shownNext);
  const rows = stops.map(stop => draws.filter(draw => draw.stop === stop)).map(next => el("p.soon", {}, el("b", {}, when(next[0].draw_time, now())),
    el("span", {}, next.slice(0, shownNext).map(draw => gameOf(draw).name).join(", ") + (next.length > shownNext ? " +" + (next.length - shownNext) : "")), el("span.state." + tone(next[0].stop - now()), {"data-stop": next[0].sale_stop_at}, left(next[0].stop - now()))));
  return [...(rows.length ? [el("h2", {}, say("soon")), ...rows] : []), el("p.empty", {}, say("ticket.empty"))];
}

// showNotes offers the sums above a total that notes of one kind make up, the smallest first.
function showNotes(sum) {
  const buttons = Array.from(at("notes").querySelectorAll("[data-note]")), whole = 10 ** digits(), next = buttons.map(({dataset: {note}}) => Math.ceil(sum / note / whole) * note);
  const sums = Array.from(new Set(next)).filter(value => value * whole > sum).sort((a, b) => a - b);
  at("notes").hidden = !sum;
  for (const [i, one] of buttons.entries()) {
    one.hidden = i >= sums.length;
    one.dataset.value = sums[i];
    one.textContent = money(sums[i] || 0, 0);
  }
}

// showMend shows the refused line beside the outcome on a telephone, where the ticket is below.
function showMend(line) {
  at("mend").replaceChildren(...(line?.refused && !isClosed(line) ? [el("span", {}, el("b", {}, line.codes.join(" ")), " ", line.name, ": ", line.refused.text), waysOut(line.refused)] : []));
}

// showCurrent brings the line that the keys mean into sight, in the frame that shows it: that one lays the page out anyway.
export function showCurrent() {
  requestAnimationFrame(() => {
    const line = at("lines").querySelector(".no, .current");
    if (line) line.scrollIntoView({block: "nearest"});
  });
}

// inAnother is a total in the first other currency with a rate, to be read only.
function inAnother(units) {
  const {currency, currencies} = desk.catalogue, other = currencies.find(one => one.id !== currency.id && one.rate);
  if (!other || !units) return "";
  const rate = Number(other.rate.rate), whole = units / 10 ** currency.digits, value = other.rate.base === currency.code ? whole * rate : whole / rate;
  return "≈ " + money(Math.round(value * 10 ** other.digits), other.digits) + " " + unitOf(other.code);
}

// milliseconds after which a sale whose outcome stays unknown can be put aside
const hopeless = 600000;

// showPending shows the sales whose outcome is not known, those of other entities, and what came of sales in the background until the cashier has seen it.
export function showPending(sales, foreground, late, others) {
  at("pending").replaceChildren(...sales.filter(sale => sale.tries > 1 || sale.parked || sale.state !== "sending").map((sale, i) => openRow(sale, i, foreground)),
    ...others.map(sale => el("div.state.wait", {role: "status"}, el("span", {}, say("open.other", clock(sale.since))), aside(sale))), ...late.map(lateRow));
}

function openRow(sale, i, foreground) {
  return el("div.state.wait", {role: "status"}, el("span", {}, say("open." + (sale.undo ? "undo" : sale.unsure ? "unknown" : sale.state), i + 1, amountIn(sale.total, sale.body.currency))), el("small", {}, say("open.try", sale.tries)),
    sale === foreground && button("new", say("open.park"), "F2"), sale.unsure && !sale.undo && button("giveup", say("open.giveup"), sale === foreground ? "F10" : "", {"data-key": sale.key}),
    sale.unsure && Date.now() - sale.since > hopeless && aside(sale));
}

const aside = sale => button("aside", say("open.aside"), "", {"data-key": sale.key});

function lateRow(entry) {
  const seen = button("seen", say("refused.seen"), "", {"data-key": entry.key});
  if (entry.state === "sold") return el("div.state.bad", {role: "status"}, el("span", {}, say("givenup.kept"), " ", entry.serial, " · ", amountIn(entry.total, entry.currency), " · ", entry.detail), seen);
  return el("div.state.bad", {role: "status"}, el("span", {}, say("refused.late", amountIn(entry.total, entry.currency)), " ", entry.detail), button("resume", say("refused.resume"), "", {"data-key": entry.renewed}), seen);
}

// showOutcome shows what became of the last sale: {kind, title, text}, where keys tells that the text is of keys.
export function showOutcome(outcome) {
  const box = at("outcome");
  if (outcome) guardEnter();
  box.className = "outcome " + (outcome ? outcome.kind : "");
  box.replaceChildren(...(outcome ? [el("strong", {}, outcome.title), ...(outcome.text ? [el(outcome.keys ? "span.by-keys" : "span", {}, outcome.text)] : []), ...(outcome.ways || []),
    ...(outcome.facts ? [el("dl.collect", {}, ...outcome.facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el(value.includes("+") ? "dd.mixed" : "dd", {}, value))))] : [])] : []));
}

// showSaid says something below the fields: as what is wrong, or as a question ("ask").
export function showSaid(text, bad) {
  const said = at("said");
  said.classList.toggle("bad", bad === true);
  said.classList.toggle("ask", bad === "ask");
  if (said.textContent !== text) said.textContent = text;
}

// showLast shows the last tickets. The keys mean the first one of this till.
export function showLast({last, mine}) {
  const own = mine.length > 0;
  at("last").replaceChildren(...last.slice(0, 4).map((ticket, i) => {
    const remaining = Date.parse(ticket.cancel_before) - now(), cancellable = ticket.status === "pending" && remaining > 0;
    return el("span.sold", {}, el("b", {}, clock(ticket.created_at)), " ", el("a", {href: "#", "data-do": "open", "data-id": ticket.id}, ticket.serial_code), " ", el("b", {}, ticket.shown), " ",
      ticket.status !== "pending" && el("span.state.off", {}, say("status." + ticket.status)),
      ...(i ? [] : [button("repeat", say("repeat"), own ? "F9" : "", {"data-id": ticket.id}), button("again", say("again.with"), "", {title: say("again.title")}), button("reprint", say("print"), "", {"data-id": ticket.id})]),
      !i && cancellable && el("button.grave", {type: "button", "data-do": "cancel", "data-id": ticket.id}, say("cancel") + " ", el("span", {"data-stop": ticket.cancel_before}, left(remaining)), ...(own ? [" ", key("F10")] : [])));
  }));
}
