// Prints receipts: printer commands to the printer of the till, or the picture by the browser. Printing never sells: it reads a ticket that is sold.
import {call} from "./pos-api.js";
import {connected, send, till} from "./pos-printers.js";
import {el, narrow} from "./pos-view.js";

// opens the drawer at the printer's first pin: 50 ms on, 500 ms off (ESC p)
const pulse = Uint8Array.of(0x1b, 0x70, 0, 25, 250);

// takesCash reports whether cash goes into the drawer, or change out of it, at the sale of a draft.
export const takesCash = ({payments: paid}) => !paid || Boolean(paid.change && paid.change.length) || paid.payments.some(one => one.means === "cash");

// shares reports whether receipts are handed to another program: on a telephone without a printer.
export const shares = () => narrow.matches && !till.by && Boolean(navigator.canShare) && navigator.canShare({files: [new File([], "a.png", {type: "image/png"})]});

// inFormat is the address of a document in a format, for the paper of the till.
const inFormat = (path, format) => path + (path.includes("?") ? "&" : "?") + "format=" + format + (till.paper === "80" ? "-80" : "");

// share hands the picture of a receipt to another program, such as a messenger. Browsers ask for a click.
export async function share(path) {
  const {body} = await call("GET", inFormat(path, "png"), {as: "blob"});
  await navigator.share({files: [new File([body], "ticket.png", {type: "image/png"})]});
}

// the last job of this page
let last = Promise.resolve();

// print prints the document at a path of the API, such as /sales/tickets/{id}/receipt, after the jobs before it: a printer is opened by one at a time.
// copy marks it as a copy; cash opens the drawer, if the till has one; own is a document of the counter, below /vender. It returns how: "printer" or
// "browser". An error has begun set if a part may be on paper.
export function print(path, options = {}) {
  const job = last.then(() => printNow(path, options));
  last = job.catch(() => {});
  return job;
}

async function printNow(path, {copy, cash, own}) {
  const one = await connected(), mark = copy ? "&copy=true" : "";
  const load = async (format, as) => (await call("GET", inFormat(path, format) + mark, {as, own})).body;
  if (one) {
    const document = new Uint8Array(await load(till.dots ? "escpos-raster" : "escpos", "arrayBuffer"));
    await send(one, cash && till.drawer ? Uint8Array.of(...pulse, ...document) : document);
    return "printer";
  }
  const address = URL.createObjectURL(await load("png", "blob"));
  const picture = el("img.paper" + (till.paper === "80" ? ".wide" : ""), {src: address, alt: ""});
  document.body.append(picture);
  try {
    await picture.decode();
    window.print();
  } finally {
    picture.remove();
    URL.revokeObjectURL(address);
  }
  return "browser";
}
