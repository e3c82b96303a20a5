// Texts of amounts and times. Amounts are integers of minor units, such as 2050 for 20,50.
const spanish = document.documentElement.lang === "es";
const words = JSON.parse(document.documentElement.dataset.words);

// say returns the text of a key with its values in the place of %s, in their order.
export function say(key, ...values) {
  return (words[key] || key).replace(/%s/g, () => values.shift());
}

// count is a number with what is counted.
export function count(key, number) { return say(number === 1 ? key + ".one" : key, number); }

export function money(units, digits) {
  const text = String(Math.abs(units)).padStart(digits + 1, "0"), at = text.length - digits;
  const whole = text.slice(0, at).replace(/\B(?=(\d{3})+$)/g, spanish ? "." : ",");
  return (units < 0 ? "-" : "") + whole + (digits ? (spanish ? "," : ".") + text.slice(at) : "");
}

// units reads a decimal of the API, such as "20.50".
export function units(decimal, digits) {
  const [whole, fraction = ""] = String(decimal).split(".");
  return Number(whole + fraction.padEnd(digits, "0").slice(0, digits));
}

// decimal writes an amount for the API.
export function decimal(amount, digits) {
  const text = String(amount).padStart(digits + 1, "0"), at = text.length - digits;
  return digits ? text.slice(0, at) + "." + text.slice(at) : text;
}

// typedAmount reads what a person types: "20", "20,5", "1.250,50". It returns 0 for a text that is no amount. As the server
// reads it, the last comma or point is the decimal mark, unless all are points that separate thousands.
export function typedAmount(text, digits) {
  const plain = text.replace(/\s/g, "");
  if (!/^\d[\d.,]*$/.test(plain)) return 0;
  const grouped = /^[1-9]\d{0,2}(\.\d{3})+$/.test(plain);
  const mark = grouped ? -1 : Math.max(plain.lastIndexOf(","), plain.lastIndexOf("."));
  const whole = (mark < 0 ? plain : plain.slice(0, mark)).replace(/[.,]/g, "");
  const fraction = mark < 0 ? "" : plain.slice(mark + 1), before = mark < 0 ? "" : plain.slice(0, mark);
  if (fraction.length > digits || whole.length > 13 || /[.,]/.test(before) && !/^\d{1,3}([.,]\d{3})+$/.test(before)) return 0;
  return Number(whole + fraction.padEnd(digits, "0"));
}

const two = n => String(n).padStart(2, "0");

const zone = document.documentElement.dataset.zone;
const clocks = new Intl.DateTimeFormat(spanish ? "es-VE" : "en-US", {hour: "numeric", minute: "2-digit", hour12: true, timeZone: zone});

// clock is the time of day of an instant at the place of the business.
export function clock(instant) {
  return clocks.format(new Date(instant)).replace(/\s/g, " ").replace(/a\. m\.|AM/i, "am").replace(/p\. m\.|PM/i, "pm");
}

// seconds is the time of day of an instant, to the second.
export const seconds = instant => clock(instant).replace(" ", ":" + two(new Date(instant).getSeconds()) + " ");

const days = new Intl.DateTimeFormat(spanish ? "es-VE" : "en-US", {weekday: "short", day: "numeric", timeZone: zone});

const dates = new Intl.DateTimeFormat(spanish ? "es-VE" : "en-US", spanish ? {day: "2-digit", month: "2-digit", year: "numeric", timeZone: "UTC"} : {dateStyle: "medium", timeZone: "UTC"});

const businessDays = new Intl.DateTimeFormat("en-CA", {year: "numeric", month: "2-digit", day: "2-digit", timeZone: zone});

// dayOf is the day of an instant at the place of the business, such as 2026-11-25.
export const dayOf = instant => businessDays.format(new Date(instant));

// dayText is a business day such as 2026-11-25 as people write it.
export const dayText = day => dates.format(new Date(day + "T00:00:00Z"));

// when is the time of day of an instant, after its day if that is not today's.
export function when(instant, today) {
  const day = days.format(new Date(instant));
  return (day === days.format(new Date(today)) ? "" : day + " ") + clock(instant);
}

// left is what is left of a number of milliseconds.
export function left(milliseconds) {
  const whole = Math.max(0, Math.ceil(milliseconds / 1000)), hours = Math.floor(whole / 3600);
  if (hours) return hours + " h " + two(Math.floor(whole % 3600 / 60));
  return Math.floor(whole / 60) + ":" + two(whole % 60);
}
