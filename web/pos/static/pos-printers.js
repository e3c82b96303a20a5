// The printers that the browser of a till reaches by itself, and what the till keeps of its printer: the way to it, the paper, the drawer, its name.
import {pause, within} from "./pos-api.js";
import {say} from "./pos-format.js";
import * as store from "./pos-store.js";

// till is kept in this browser. by is a way to a printer, "browser" for the browser's own print, "" where nothing was chosen; device is the id of a
// Bluetooth printer; dots prints pictures in place of text.
export const till = {by: "", device: "", paper: "58", dots: false, drawer: false, name: ""};

const tillKey = "till";
const loaded = within(2000, store.get("kept", tillKey).then(kept => Object.assign(till, kept)));

// keepTill changes what is kept of the till.
export async function keepTill(changes) {
  Object.assign(till, changes);
  await store.put("kept", {...till, key: tillKey});
  await look();
}

// of USB
const printerClass = 7;
// Bluetooth services of receipt printers, and bytes that a printer takes at once
const services = [0x18f0, 0xff00, 0xffe0, "e7810a71-73ae-499d-8c15-faa9aef0c3f2", "49535343-fe7d-4ae5-8fa9-9fafd205e455"], part = 100;

// the Bluetooth printer that was chosen since the page was loaded; other browsers than recent Chromium forget it with the page
let paired = null;

// ways to a printer: the interface of the browser, the chosen device, the question for one, and its driver {open, close}. open returns a function that
// writes bytes; close is told whether the job has failed.
const ways = {
  usb: {api: () => navigator.usb, known: async api => (await api.getDevices())[0], ask: api => api.requestDevice({filters: [{classCode: printerClass}]}), driver: usbPrinter},
  serial: {api: () => navigator.serial, known: async api => (await api.getPorts())[0], ask: api => api.requestPort(), driver: serialPrinter},
  bluetooth: {api: () => navigator.bluetooth, known: async api => paired || api.getDevices && (await api.getDevices()).find(one => one.id === till.device), driver: bluetoothPrinter, async ask(api) {
    paired = await api.requestDevice({acceptAllDevices: true, optionalServices: services});
  }},
};

// reachable are the names of the ways that this browser has.
export const reachable = () => Object.keys(ways).filter(name => ways[name].api());

// connected is the driver of the till's printer, null for the browser's own print. Errors: the chosen printer is not there.
export async function connected() {
  await loaded;
  for (const name of till.by ? reachable().filter(name => name === till.by) : ["usb", "serial"].filter(name => ways[name].api())) {
    const device = await ways[name].known(ways[name].api());
    if (device) return {name, ...ways[name].driver(device)};
  }
  if (till.by && till.by !== "browser") throw new Error(say("printer.gone"));
  return null;
}

// choose asks the cashier for a printer of a way. It is called from a click: browsers ask for it.
export async function choose(name) {
  if (ways[name]) await ways[name].ask(ways[name].api());
  await keepTill({by: name, device: paired?.id});
}

// ---- the state

// printer is the state of the printer: "ready", "failed" after a job that failed, "gone" where it has to be chosen again, or "browser"; and the way to it.
export const printer = {state: "", by: ""};
let listener = () => {};

// watch is called when the state may have changed.
export function watch(listen) { listener = listen; }

function set(state) {
  printer.state = state;
  listener();
}

// look finds out whether the printer is there.
const look = () => connected().then(one => {
  printer.by = one ? one.name : "browser";
  set(one ? "ready" : "browser");
}, () => set("gone"));

look();
for (const api of [navigator.usb, navigator.serial]) {
  for (const event of ["connect", "disconnect"]) api?.addEventListener?.(event, look);
}

// ---- the drivers

const stopped = () => new Error(say("printer.stopped"));

function usbPrinter(device) {
  return {
    async open() {
      await device.open();
      if (!device.configuration) await device.selectConfiguration(1);
      const found = device.configuration.interfaces.find(i => i.alternates.some(a => a.interfaceClass === printerClass)) || device.configuration.interfaces[0];
      await device.claimInterface(found.interfaceNumber);
      const out = found.alternate.endpoints.find(e => e.direction === "out");
      return async bytes => {
        const {status, bytesWritten} = await device.transferOut(out.endpointNumber, bytes);
        if (status !== "ok" || bytesWritten < bytes.byteLength) throw stopped();
      };
    },
    close: () => device.close(),
  };
}

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

// A Bluetooth printer stays connected: a new connection takes seconds. A failed job ends it, so that nothing of it is printed later.
function bluetoothPrinter(device) {
  return {
    async open() {
      const {gatt} = device, server = gatt.connected ? gatt : await gatt.connect(), out = await writable(server);
      return async bytes => {
        for (let at = 0; at < bytes.byteLength; at += part) {
          const slice = bytes.slice(at, at + part);
          if (out.properties.write) await out.writeValueWithResponse(slice);
          else {
            await out.writeValueWithoutResponse(slice);
            // without answers a printer loses what it has no room for
            await pause(20);
          }
        }
      };
    },
    async close(failed) {
      if (failed) device.gatt.disconnect();
    },
  };
}

// writable is where a printer takes its bytes: the first characteristic of a service of printers that can be written.
async function writable(server) {
  for (const service of await server.getPrimaryServices().catch(() => [])) {
    const found = (await service.getCharacteristics()).find(one => one.properties.write || one.properties.writeWithoutResponse);
    if (found) return found;
  }
  throw new Error(say("printer.other"));
}

// ---- jobs

// milliseconds that a job may take at least, and bytes a second that the slowest printer takes
const patience = 20000, slowest = 400;
// milliseconds that a device has to close
const closing = 1000;

// send prints bytes. A printer that does not answer holds no later document back, and prints nothing later. An error has begun set if a part of the
// document may be on paper.
export async function send(one, bytes) {
  let begun = false, over = false, failed = true;
  const close = () => within(closing, one.close(failed));
  const job = async () => {
    const write = await one.open();
    if (over) return close();
    begun = true;
    await write(bytes);
  };
  const late = async () => {
    await pause(patience + bytes.byteLength / slowest * 1000);
    if (!over) throw stopped();
  };
  try {
    await Promise.race([job(), late()]);
    failed = false;
  } catch (e) {
    throw Object.assign(new Error(e.message), {begun});
  } finally {
    over = true;
    set(failed ? "failed" : "ready");
    await close();
  }
}
