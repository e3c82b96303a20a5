// Results: what was drawn today and yesterday, and what is drawn often or has been absent.
import {now, read} from "./pos-api.js";
import {desk} from "./pos-desk.js";
import {field, main, open, saying} from "./pos-dialog.js";
import {folded} from "./pos-entry.js";
import {clock, count, dayOf, dayText, say} from "./pos-format.js";
import * as printer from "./pos-print.js";
import {el} from "./pos-view.js";

const oneDay = 86400000;

// results shows what was drawn today, the last hour first, and yesterday's folded, of the games whose names have some letters. Enter prints the list.
export async function results() {
  const [today, yesterday] = await Promise.all([0, oneDay].map(ago => drawnOn(dayOf(now() - ago))));
  const search = field(say("results.game"), "game", {spellcheck: "false"}), input = search.querySelector("input"), list = el("div.drawn-list"), numbers = el("div.numbers", {role: "status"});
  const days = () => [today, yesterday].map(({day, data}) => ({day, data: data.filter(one => folded(one.game).includes(folded(input.value.trim())))}));
  const show = () => {
    showDays(list, ...days());
    showNumbers(numbers, new Map(days().flatMap(({data}) => data.map(one => [one.game_id, one.game]))));
  };
  input.addEventListener("input", show);
  const path = () => listPath(input.value.trim(), days());
  const share = el("button", {type: "button"}, say("share"));
  share.addEventListener("click", () => printer.share(path()).catch(saying));
  open(say("results"), [search, list, numbers], today.data.length || yesterday.data.length ? [main(say("results.print")), ...(printer.shares() ? [share] : [])] : [], async () => {
    await printer.print(path());
    return false;
  });
  show();
}

// listPath is the address of the list of the day that has results, of the games that are shown.
function listPath(wanted, days) {
  const {day, data} = days.find(one => one.data.length) || days[0], games = new Set(data.map(one => one.game_id));
  return "/results/receipt?date=" + day + (wanted && games.size ? "&game_id=" + Array.from(games).slice(0, 100).join(",") : "");
}

// drawnOn are the results of a day, the last hour first.
async function drawnOn(day) {
  const {data} = await read("/results?status=verified&page_size=200&date=" + day);
  await Promise.all(Array.from(new Set(data.map(one => one.game_id)), learnNames));
  return {day, data: data.sort((a, b) => Date.parse(b.draw_time) - Date.parse(a.draw_time) || a.game.localeCompare(b.game))};
}

const rowOf = one => el("p.line", {}, el("span.faint.time", {}, clock(one.draw_time)), el("span", {}, one.game), el("b.number", {}, one.value, " ", nameOf(one), one.sign ? " " + one.sign : ""));

function showDays(list, today, yesterday) {
  const before = list.querySelector("details");
  list.replaceChildren(...(today.data.length ? today.data.map(rowOf) : [el("p", {}, say("results.none"))]),
    yesterday.data.length ? el("details", {open: Boolean(before?.open)}, el("summary", {}, say("results.yesterday", dayText(yesterday.day))), ...yesterday.data.map(rowOf)) : "");
}

// names of elements by game: the catalogue has no game whose draws of the day are over
const names = new Map();

async function learnNames(id) {
  if (names.has(id)) return;
  const game = desk.games.get(id), elements = game ? game.elements : (await read("/games/" + id + "/elements?page_size=200&status=all")).data;
  names.set(id, new Map(elements.map(element => [element.code, element.name])));
}

const nameOf = one => names.get(one.game_id).get(one.value) || "";

// numbers of a kind that are shown
const shownNumbers = 6;

// showNumbers shows the frequent and the absent numbers of the one game that is left.
async function showNumbers(box, games) {
  const [[id, game] = []] = games.size === 1 ? games : [];
  if (box.dataset.game === String(id) && id) return;
  box.dataset.game = id;
  box.replaceChildren(id ? "" : el("p.faint", {}, say("results.hint")));
  if (!id) return;
  const {data} = await read("/results/frequencies?game_id=" + id).catch(() => ({data: []}));
  // other letters were typed meanwhile
  if (box.dataset.game !== id || !data.length) return;
  const absent = data.filter(one => one.absent).sort((a, b) => b.absent - a.absent), row = (name, list, text) => [el("h3", {}, say(name, game)),
    el("p.chips", {}, ...list.slice(0, shownNumbers).map(one => el("span.chip", {}, el("b", {}, one.value), " ", one.name === one.value ? "" : one.name + " ", el("small.faint", {}, text(one)))))];
  box.replaceChildren(...row("results.often", data.filter(one => one.drawn), one => count("results.times", one.drawn)), ...row("results.absent", absent, one => count("of.draws", one.absent)));
}
