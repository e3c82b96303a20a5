// Amounts in words, and the question about an amount above what the entity asks about: the same figures in another form show a digit too many.
import {desk} from "./pos-desk.js";
import {say, units} from "./pos-format.js";
import {lineKey, total} from "./pos-ticket.js";

const language = {
  es: {
    ones: "cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiún veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve".split(" "),
    tens: "   treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(" "),
    hundreds: " ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos".split(" "),
    join: " y ", thousand: "mil", million: "un millón", millions: "millones", before: "con",
  },
  en: {
    ones: "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" "),
    tens: "  twenty thirty forty fifty sixty seventy eighty ninety".split(" "),
    join: "-", thousand: "one thousand", million: "one million", millions: "million", before: "and",
  },
};

// numberWords writes a whole number below a million millions, as it stands before a masculine noun in Spanish: veintiún, ciento un.
export function numberWords(number, lang = document.documentElement.lang) {
  const words = language[lang] || language.es, small = n => n < 1000 ? below1000(n, words) : numberWords(n, lang);
  if (number < 1000) return below1000(number, words);
  const [unit, one, many] = number < 1e6 ? [1e3, words.thousand, words.thousand.split(" ").pop()] : [1e6, words.million, words.millions];
  const head = Math.floor(number / unit), rest = number % unit;
  return [head === 1 ? one : small(head) + " " + many, rest && lang === "en" && rest < 100 && "and", rest && small(rest)].filter(Boolean).join(" ");
}

function below1000(n, {ones, tens, hundreds, join}) {
  if (n < ones.length) return ones[n];
  if (n < 100) return tens[Math.floor(n / 10)] + (n % 10 ? join + ones[n % 10] : "");
  const rest = n % 100 ? below1000(n % 100, {ones, tens, join}) : "";
  if (!hundreds) return ones[Math.floor(n / 100)] + " hundred" + (rest && " and " + rest);
  return n === 100 ? "cien" : hundreds[Math.floor(n / 100)] + (rest && " " + rest);
}

// inWords writes an amount of minor units of the desk's currency.
export function inWords(amount, {code, digits} = desk.catalogue.currency, lang = document.documentElement.lang) {
  const whole = Math.floor(amount / 10 ** digits), cents = amount % 10 ** digits;
  const of = lang === "es" && whole >= 1e6 && whole % 1e6 === 0 ? " de " : " ";
  return numberWords(whole, lang) + of + noun("unit", code, whole) + (cents ? " " + language[lang].before + " " + numberWords(cents, lang) + " " + noun("cent", code, cents) : "");
}

function noun(kind, code, number) {
  const key = kind + "." + code + (number === 1 ? ".one" : ""), text = say(key);
  return text === key ? kind === "unit" ? code : "" : text;
}

// above is the amount above which the entity asks about a line or a ticket; Infinity for never.
function above(name) {
  const {currency, rules} = desk.catalogue, most = rules["confirm_" + name + "_above"];
  return most ? units(most, currency.digits) : Infinity;
}

// isLarge reports whether a stake is asked about.
export const isLarge = stake => stake > above("line");

const newlyLarge = line => isLarge(line.amount) && !(line.agreed >= line.amount);

// largeIn is the question about a ticket with an amount that nobody has agreed to; "" for none.
export function largeIn(draft) {
  const sum = total(draft), line = draft.lines.find(newlyLarge);
  if (sum > above("ticket") && !(draft.agreed >= sum)) return say("large.ticket", inWords(sum));
  return line ? say("large.kept", inWords(line.amount), line.codes.join(" ") + " " + line.name) : "";
}

// agreeTo takes the amounts of some lines as meant; of the ticket, too, without a choice.
export function agreeTo(draft, lines) {
  const keys = lines && new Set(lines.map(lineKey));
  for (const line of draft.lines) if (!keys || keys.has(lineKey(line))) line.agreed = line.amount;
  if (!lines) draft.agreed = total(draft);
}
