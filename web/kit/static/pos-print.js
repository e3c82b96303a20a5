// Prints receipts: printer commands to a printer that the cashier has chosen, or the picture by the browser. Printing never sells: it reads a ticket
// that is sold.
import {call} from "./pos-api.js";
import {el} from "./pos-view.js";

// of USB
const printerClass = 7;

// connected returns a function that sends bytes to the chosen printer, or null.
async function connected() {
  const [usb] = navigator.usb ? await navigator.usb.getDevices() : [];
  if (usb) return bytes => sendUSB(usb, bytes);
  const [port] = navigator.serial ? await navigator.serial.getPorts() : [];
  return port ? bytes => sendSerial(port, bytes) : null;
}

// choose asks for a printer. It is called from a click: browsers ask for it.
export async function choose() {
  if (navigator.usb) return navigator.usb.requestDevice({filters: [{classCode: printerClass}]});
  if (navigator.serial) return navigator.serial.requestPort();
  throw new Error("no printer");
}

async function sendUSB(device, bytes) {
  await device.open();
  try {
    if (!device.configuration) await device.selectConfiguration(1);
    const found = device.configuration.interfaces.find(i => i.alternates.some(a => a.interfaceClass === printerClass)) || device.configuration.interfaces[0];
    await device.claimInterface(found.interfaceNumber);
    const out = found.alternate.endpoints.find(e => e.direction === "out");
    await device.transferOut(out.endpointNumber, bytes);
  } finally {
    await device.close();
  }
}

async function sendSerial(port, bytes) {
  await port.open({baudRate: 9600});
  const writer = port.writable.getWriter();
  try {
    await writer.write(bytes);
  } finally {
    writer.releaseLock();
    await port.close();
  }
}

// print prints the document at a path of the API, such as /sales/tickets/{id}/receipt. A copy is marked as one. It returns how: "printer" or "browser".
export async function print(path, copy = false) {
  const send = await connected(), mark = copy ? "&copy=true" : "";
  if (send) {
    await send((await call("GET", path + "?format=escpos" + mark, {as: "arrayBuffer"})).body);
    return "printer";
  }
  const address = URL.createObjectURL((await call("GET", path + "?format=png" + mark, {as: "blob"})).body);
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
