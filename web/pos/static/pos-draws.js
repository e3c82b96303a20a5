// The dialog of draws: a table of games by hours, for keys and for fingers. And the lines that a ticket has on draws chosen later.
import {now} from "./pos-api.js";
import {desk, gameOf, rule} from "./pos-desk.js";
import {main, open} from "./pos-dialog.js";
import {folded, shapes} from "./pos-entry.js";
import {clock, count, dayOf, left, say, when} from "./pos-format.js";
import {el, key, tone} from "./pos-view.js";
import {lineKey} from "./pos-ticket.js";

// hours that the table shows, the next ones
const most = 24, hourly = 3600000;

// hourOf is the beginning of the hour of a draw, in milliseconds.
export const hourOf = draw => Math.floor(Date.parse(draw.draw_time) / hourly) * hourly;

// drawTable chooses among draws, the next one first; choose is given the ids. A draw beyond the hours of the table stays as it was.
export function drawTable(list, before, choose) {
  const chosen = new Set(before), hours = Array.from(new Set(list.map(hourOf))).sort((a, b) => a - b).slice(0, most), games = new Map(), chips = new Map();
  const sum = el("p.draws-sum", {role: "status"}), filter = el("span", {role: "status"}), view = {typed: "", today: false};
  for (const draw of list) {
    if (!games.has(draw.game_id)) games.set(draw.game_id, new Map());
    const row = games.get(draw.game_id), hour = hourOf(draw);
    row.set(hour, [...(row.get(hour) || []), draw]);
    chips.set(draw.id, chipOf(draw));
  }
  const table = el("table", {tabindex: "-1"}, headOf(hours), el("tbody", {}, ...desk.catalogue.games.filter(game => games.has(game.id) && hours.some(hour => games.get(game.id).has(hour))).map(game => rowOf(game, hours, games.get(game.id), chips))));
  const shown = () => Array.from(table.querySelectorAll("td button")).filter(isShown);
  const paint = () => {
    for (const [id, chip] of chips) chip.setAttribute("aria-pressed", String(chosen.has(id)));
    sum.textContent = count("of.draws", chosen.size);
  };
  // flip chooses some draws, or none of them where all are chosen
  const flip = some => {
    const all = some.every(chip => chosen.has(chip.dataset.draw));
    for (const {dataset: {draw}} of some) if (all) chosen.delete(draw); else chosen.add(draw);
    paint();
  };
  const narrowTo = () => {
    for (const row of table.tBodies[0].rows) row.hidden = !row.dataset.name.includes(view.typed);
    table.classList.toggle("today", view.today);
    filter.textContent = view.typed;
    if (document.activeElement === table || !isShown(document.activeElement)) (shown()[0] || table).focus();
  };
  table.addEventListener("click", event => {
    const chip = event.target.closest("button");
    if (chip) flip(chip.dataset.draw ? [chip] : shown().filter(chip.dataset.hour ? other => other.dataset.hour === chip.dataset.hour : other => other.closest("tr") === chip.closest("tr")));
  });
  table.addEventListener("keydown", event => onKey(event, {table, shown, flip, view, narrowTo}));
  const ways = [["draws.move", "← ↑ ↓ →"], ["draws.pick", say("key.space")], ["draws.row", say("key.home")], ["draws.column", say("key.pageup")], ["draws.today", "1"]];
  open(say("draws"), [el("div.hours", {}, table), el("p.hints.faint", {}, ...ways.flatMap(([name, pressed]) => [key(pressed), " " + say(name) + " "]), "· " + say("draws.filter") + " ", filter), sum], [main(say("done"))], () => choose(chosen));
  paint();
  (shown().find(chip => chosen.has(chip.dataset.draw)) || shown()[0] || table).focus();
}

// isShown reports whether a cell is neither filtered out nor of another day than the one that is asked for.
const isShown = chip => !chip.closest("[hidden], .today .later");

function headOf(hours) {
  let day = dayOf(now());
  return el("thead", {}, el("tr", {}, el("td"), ...hours.map(hour => {
    const same = dayOf(hour) === day, text = (same ? clock(hour) : when(hour, now())).replace(":00", "");
    day = dayOf(hour);
    return el("th" + laterOf(hour), {scope: "col"}, el("button", {type: "button", tabindex: "-1", "data-hour": hour}, text));
  })));
}

const laterOf = hour => dayOf(hour) === dayOf(now()) ? "" : ".later";

function rowOf(game, hours, row, chips) {
  return el("tr", {"data-name": folded(game.name)}, el("th", {scope: "row"}, el("button", {type: "button", tabindex: "-1"}, game.name)),
    ...hours.map(hour => el("td" + laterOf(hour), {}, ...(row.get(hour) || []).map(draw => chips.get(draw.id)))));
}

// chipOf is the cell of a draw: its time, and what is left where its sale stops within the hour.
function chipOf(draw) {
  const remaining = draw.stop - now(), time = clock(draw.draw_time);
  return el("button", {type: "button", "data-draw": draw.id, "data-hour": hourOf(draw), title: when(draw.draw_time, now())},
    el("span.spoken", {}, gameOf(draw).name + " " + when(draw.draw_time, now()).replace(time, "")), time, ...(remaining < hourly ? [" ", el("span.state." + tone(remaining), {"data-stop": draw.sale_stop_at}, left(remaining))] : []));
}

function onKey(event, {table, shown, flip, view, narrowTo}) {
  const chip = event.target.closest("button"), cells = shown(), letter = /^\p{L}$/u.test(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey;
  const work = {
    ArrowLeft: () => beside(cells, chip, -1), ArrowRight: () => beside(cells, chip, 1), ArrowUp: () => above(table, cells, chip, -1), ArrowDown: () => above(table, cells, chip, 1),
    Home: () => flip(cells.filter(other => other.closest("tr") === chip.closest("tr"))), PageUp: () => flip(cells.filter(other => other.dataset.hour === chip.dataset.hour)),
    1: () => narrowTo(view.today = !view.today), Backspace: () => narrowTo(view.typed = view.typed.slice(0, -1)), Enter: () => table.closest("form").requestSubmit(),
  }[event.key];
  if (!work && !letter) return;
  event.preventDefault();
  if (work) return chip || ["1", "Backspace", "Enter"].includes(event.key) ? work() : undefined;
  const typed = view.typed + folded(event.key);
  // letters of no game are not taken
  if (Array.from(table.tBodies[0].rows).some(row => row.dataset.name.includes(typed))) narrowTo(view.typed = typed);
}

// beside goes to the cell before or after one, also of another row.
function beside(cells, chip, step) { (cells[cells.indexOf(chip) + step] || chip).focus(); }

// above goes to the row above or below, to the hour that is nearest.
function above(table, cells, chip, step) {
  const rows = Array.from(table.tBodies[0].rows).filter(row => cells.some(cell => row.contains(cell))), row = rows[rows.indexOf(chip.closest("tr")) + step];
  if (!row) return;
  const far = cell => Math.abs(cell.dataset.hour - chip.dataset.hour);
  cells.filter(cell => row.contains(cell)).sort((a, b) => far(a) - far(b))[0].focus();
}

// spread returns the lines of a draft on other draws, each once, and how many of them a game does not take. make makes a line.
export function spread(lines, others, make) {
  const had = new Set(lines.map(lineKey)), seen = new Set(), made = [];
  let not = 0;
  for (const draw of others) for (const line of lines) {
    const key = lineKey({...line, draw: draw.id});
    if (had.has(key) || seen.has(key)) continue;
    seen.add(key);
    if (takes(gameOf(draw), line)) made.push(make(draw, line.bet, line.codes, line.name, line.amount));
    else not++;
  }
  return {made, not};
}

// takes reports whether a game offers the bet of a line, and has its elements.
export function takes(game, line) {
  if (!rule(game, line.bet)) return false;
  const {grid} = shapes[line.bet];
  return !grid || line.codes.every(code => game.elements.some(element => element.code === code));
}
