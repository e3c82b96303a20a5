// Reads what is typed into the field of numbers: "05,18,22", "05-09", "*5" (all that end in 5), "5*" (all that begin with 5), "123p" (permutations),
// and "123/5" or "123/leo" with a sign. Of the page it reads the bet types only.
// shapes are the declared bet types by name, in their order: {type, mode, match, parts, grid, digits, sign}.
export const shapes = Object.fromEntries(JSON.parse(document.documentElement.dataset.bets).map(bet => [bet.type, bet]));

// numbers of one entry
const most = 1000;

// picked are the codes of a line as the API answers it.
export const picked = line => [].concat(line.selection).map(String);

// keyed is a code as it is typed: animals have two digits, but 0 and 00 differ.
export function keyed(code) { return /^[1-9]$/.test(code) ? "0" + code : code; }

function elementOf(game, text) {
  return game.elements.find(e => e.code === text) || game.elements.find(e => e.code === text.replace(/^0+(?=[1-9])/, ""));
}

// folded is a text without accents and in small letters.
export const folded = text => text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();

// namedBy are the elements of a name, or those whose names begin with it.
function namedBy(game, text) {
  const wanted = folded(text), exact = game.elements.filter(e => folded(e.name) === wanted);
  return exact.length ? exact : game.elements.filter(e => folded(e.name).startsWith(wanted));
}

// universe are all codes that can be typed for a bet on a game, in their order.
function universe(game, shape) {
  if (shape.grid) return game.elements.map(e => e.code);
  return Array.from({length: 10 ** shape.digits}, (_, n) => String(n).padStart(shape.digits, "0"));
}

function codeOf(game, shape, text) {
  if (shape.grid) return elementOf(game, text)?.code;
  return new RegExp("^\\d{" + shape.digits + "}$").test(text) ? text : undefined;
}

function permutations(text) {
  if (text.length < 2) return [text];
  const found = new Set();
  for (let i = 0; i < text.length; i++) for (const rest of permutations(text.slice(0, i) + text.slice(i + 1))) found.add(text[i] + rest);
  return Array.from(found).sort();
}

function signOf(game, text) {
  const signs = game.signs || [];
  if (/^\d+$/.test(text)) return signs[Number(text) - 1]?.code;
  const found = signs.filter(s => s.code.startsWith(text.toUpperCase()) || s.name.toUpperCase().startsWith(text.toUpperCase()));
  return text && found.length === 1 ? found[0].code : undefined;
}

// random returns some different codes of those that may be chosen; fewer where there are not as many.
export function random(game, bet, count, free) {
  const left = universe(game, shapes[bet]).filter(free), chosen = [];
  while (chosen.length < count && left.length) chosen.push(left.splice(crypto.getRandomValues(new Uint32Array(1))[0] % left.length, 1)[0]);
  return chosen.join(",");
}

// randomCount is the number of random codes that an entry such as "?5" or "??5" asks for, 0 for another entry.
export const randomCount = text => Number((/^\?{1,2}(\d{1,2})$/.exec(text.trim()) || [])[1]) || 0;

// ofUnsold reports whether an entry asks for codes that nobody has, such as "??" or "??5".
export const ofUnsold = text => /^\s*\?\?/.test(text);

// codesOf expands one part of an entry. The second value is a key of the reason why it cannot be read.
function codesOf(game, shape, part) {
  const all = universe(game, shape);
  if (part.startsWith("?")) return [[], "random"];
  if (/^\*\d+$/.test(part)) return [all.filter(code => keyed(code).endsWith(part.slice(1)))];
  if (/^\d+\*$/.test(part)) return [all.filter(code => keyed(code).startsWith(part.slice(0, -1)))];
  const run = /^(\d+)-(\d+)$/.exec(part);
  if (run) {
    const first = all.indexOf(codeOf(game, shape, run[1])), last = all.indexOf(codeOf(game, shape, run[2]));
    return first < 0 || last < first ? [[], "wrong.run"] : [all.slice(first, last + 1)];
  }
  if (/^\d+p$/i.test(part) && !shape.grid) return part.length === shape.digits + 1 ? [permutations(part.slice(0, -1))] : [[], "wrong.digits"];
  if (shape.grid && /^\p{L}{2,}$/u.test(part)) {
    const elements = namedBy(game, part);
    return elements.length === 1 ? [[elements[0].code]] : [[], elements.length ? "wrong.several" : "wrong.element"];
  }
  const code = codeOf(game, shape, part);
  if (code !== undefined) return [[code]];
  return [[], shape.grid ? "wrong.element" : "wrong.digits"];
}

// read returns the picks of an entry, each a list of codes as the API takes it, or the first problem with the part that has it.
export function read(text, game, bet) {
  const shape = shapes[bet], picks = [];
  for (const part of text.split(/[,\s]+/).filter(Boolean)) {
    const [number, sign] = shape.sign ? part.split("/") : [part];
    const [codes, problem] = codesOf(game, shape, number);
    if (problem || !codes.length) return {picks: [], problem: problem || "wrong.element", part};
    const mark = shape.sign && signOf(game, sign || "");
    if (shape.sign && !mark) return {picks: [], problem: "wrong.sign", part};
    for (const code of codes) picks.push(mark ? [code, mark] : [code]);
    if (picks.length > most) return {picks: [], problem: "wrong.many", part};
  }
  return shape.parts > 1 ? combined(picks, shape.parts) : {picks: distinct(picks)};
}

function distinct(picks) { return Array.from(new Map(picks.map(pick => [pick.join(","), pick])).values()); }

// combined makes picks of several parts, such as a tripleta: one of as many codes, all of more.
function combined(picks, count) {
  const codes = distinct(picks).map(pick => pick[0]);
  if (!codes.length) return {picks: []};
  if (codes.length < count) return {picks: [], problem: "wrong.count", part: String(count)};
  const all = combinations(codes, count);
  return all.length > most ? {picks: [], problem: "wrong.many", part: codes.join(",")} : {picks: all};
}

// combinations are all choices of so many of some codes, in their order; more than an entry may have are not all made.
function combinations(codes, count) {
  if (!count) return [[]];
  const found = [];
  for (let i = 0; i + count <= codes.length && found.length <= most; i++) for (const rest of combinations(codes.slice(i + 1), count - 1)) found.push([codes[i], ...rest]);
  return found;
}

// complete reports whether the last number is whole, so that the amount may follow: two digits for animals and terminales, three for triples.
export function complete(text, bet) {
  const shape = shapes[bet], digits = "\\d{" + (shape.digits || 2) + "}";
  if (shape.sign || shape.parts > 1) return false;
  return new RegExp("^(" + digits + "-)?" + digits + "$|^" + digits + "p$", "i").test(lastPart(text));
}

const lastPart = text => text.split(/[,\s]+/).pop();

// typed reports whether the last number is not merely unfinished, so that what is wrong with it can be said.
export function typed(text, bet) {
  const part = lastPart(text);
  // more letters may make it one name
  if (/^\p{L}$/u.test(part)) return false;
  return Boolean(text) && !part || !/^\d*$/.test(part) || part.length >= (shapes[bet].digits || 2);
}
