// Prints receipts: printer commands to a printer that the cashier has chosen, or the picture by the browser. Printing never sells: it reads a ticket
// that is sold.
import {call, pause, within} from "./pos-api.js";
import {say} from "./pos-format.js";
import {el, narrow} from "./pos-view.js";

// of USB
const printerClass = 7;

// milliseconds that a job may take at least, and bytes a second that the slowest printer takes
const patience = 20000, slowest = 400;
// milliseconds that a device has to close
const closing = 1000;

// connected is the chosen printer, or null: {open, close}, where open returns a function that writes bytes.
async function connected() {
  const [usb] = navigator.usb ? await navigator.usb.getDevices() : [];
  if (usb) return usbPrinter(usb);
  const [port] = navigator.serial ? await navigator.serial.getPorts() : [];
  return port ? serialPrinter(port) : null;
}

// choose asks for a printer. It is called from a click: browsers ask for it.
export async function choose() {
  if (navigator.usb) return navigator.usb.requestDevice({filters: [{classCode: printerClass}]});
  if (navigator.serial) return navigator.serial.requestPort();
  throw new Error("no printer");
}

const usbPrinter = device => ({
  async open() {
    await device.open();
    if (!device.configuration) await device.selectConfiguration(1);
    const found = device.configuration.interfaces.find(i => i.alternates.some(a => a.interfaceClass === printerClass)) || device.configuration.interfaces[0];
    await device.claimInterface(found.interfaceNumber);
    const out = found.alternate.endpoints.find(e => e.direction === "out");
    return async bytes => {
      const {status, bytesWritten} = await device.transferOut(out.endpointNumber, bytes);
      if (status !== "ok" || bytesWritten < bytes.byteLength) throw new Error(say("printer.stopped"));
    };
  },
  close: () => device.close(),
});

function serialPrinter(port) {
  let writer;
  return {
    async open() {
      await port.open({baudRate: 9600});
      writer = port.writable.getWriter();
      return bytes => writer.write(bytes);
    },
    async close() {
      if (writer) writer.releaseLock();
      await port.close();
    },
  };
}

// send prints bytes. A printer that does not answer holds no later document back, and prints nothing later. An error has begun set if a part of the
// document may be on paper.
async function send(one, bytes) {
  let begun = false, over = false;
  const close = () => within(closing, one.close());
  const job = async () => {
    const write = await one.open();
    if (over) return close();
    begun = true;
    await write(bytes);
  };
  const late = async () => {
    await pause(patience + bytes.byteLength / slowest * 1000);
    if (!over) throw new Error(say("printer.stopped"));
  };
  try {
    await Promise.race([job(), late()]);
  } catch (e) {
    throw Object.assign(new Error(e.message), {begun});
  } finally {
    over = true;
    await close();
  }
}

// shares reports whether receipts are handed to another program: on a telephone without a printer.
export const shares = () => narrow.matches && Boolean(navigator.canShare) && navigator.canShare({files: [new File([], "a.png", {type: "image/png"})]});

// inFormat is the address of a document in a format.
const inFormat = (path, format) => path + (path.includes("?") ? "&" : "?") + "format=" + format;

// share hands the picture of a receipt to another program, such as a messenger. Browsers ask for a click.
export async function share(path) {
  const {body} = await call("GET", inFormat(path, "png"), {as: "blob"});
  await navigator.share({files: [new File([body], "ticket.png", {type: "image/png"})]});
}

// the last job of this page
let last = Promise.resolve();

// print prints the document at a path of the API, such as /sales/tickets/{id}/receipt, after the jobs before it: a printer is opened by one at a time.
// A copy is marked as one. It returns how: "printer" or "browser". An error has begun set if a part may be on paper.
export function print(path, copy = false) {
  const job = last.then(() => printNow(path, copy));
  last = job.catch(() => {});
  return job;
}

async function printNow(path, copy) {
  const one = await connected(), mark = copy ? "&copy=true" : "";
  if (one) {
    await send(one, (await call("GET", inFormat(path, "escpos") + mark, {as: "arrayBuffer"})).body);
    return "printer";
  }
  const address = URL.createObjectURL((await call("GET", inFormat(path, "png") + mark, {as: "blob"})).body);
  const picture = el("img.paper", {src: address, alt: ""});
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
