// A receipt printer in place of the browser's: window.printer has the bytes of each job, and is told how to fail. Its kind is the function that the
// test calls, usbPrinter, serialPrinter or bluetoothPrinter.
const printer = window.printer = {
  // base64 of the bytes that arrived, job by job
  jobs: [],
  // "off" or "dead" when it is opened, "pulled", "stalled" or "silent" in the middle of a job
  fails: "",
  // milliseconds of a job
  takes: 0,
  // connections of a Bluetooth printer, and the questions for a device
  connections: 0, asked: [],
};

const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));
const failure = (name, text) => new DOMException(text, name);

function arrived(data, part = 1) {
  const bytes = new Uint8Array(data.buffer || data, data.byteOffset || 0, Math.floor(data.byteLength * part));
  printer.jobs.push(btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")));
  return bytes.length;
}

// take is a job of a device that ends early if it is closed meanwhile.
async function take(device, data) {
  await pause(printer.takes);
  if (!device.opened) {
    arrived(data, 0.5);
    throw failure("AbortError", "The transfer was cancelled.");
  }
  if (printer.fails === "pulled") {
    arrived(data, 0.5);
    throw failure("NetworkError", "The device has been lost.");
  }
  if (printer.fails === "stalled") return {status: "stall", bytesWritten: arrived(data, 0.5)};
  if (printer.fails === "silent") {
    arrived(data, 0.5);
    return new Promise(() => {});
  }
  return {status: "ok", bytesWritten: arrived(data)};
}

// fail is what a device does when it is opened.
async function fail(text) {
  if (printer.fails === "off") throw failure("NetworkError", text);
  if (printer.fails === "dead") await new Promise(() => {});
}

function replace(name, value) { Object.defineProperty(navigator, name, {value, configurable: true}); }

function usbPrinter() {
  const device = {
    opened: false, configuration: null, claimed: false,
    async open() {
      await fail("Unable to open the device.");
      device.opened = true;
    },
    async close() {
      device.opened = device.claimed = false;
      if (printer.fails === "pulled") throw failure("NotFoundError", "The device was disconnected.");
    },
    async selectConfiguration() {
      const alternate = {interfaceClass: 7, endpoints: [{direction: "in", endpointNumber: 1}, {direction: "out", endpointNumber: 2}]};
      device.configuration = {interfaces: [{interfaceNumber: 0, alternate: {interfaceClass: 3, endpoints: []}, alternates: [{interfaceClass: 3}]}, {interfaceNumber: 1, alternate, alternates: [alternate]}]};
    },
    async claimInterface(number) { device.claimed = number === 1; },
    async transferOut(endpoint, data) {
      if (!device.opened || !device.claimed || endpoint !== 2) throw failure("InvalidStateError", "The interface is not claimed.");
      return take(device, data);
    },
  };
  replace("usb", {getDevices: async () => [device], requestDevice: async () => device});
}

function serialPrinter() {
  const port = {
    opened: false, writable: null,
    async open() {
      if (port.opened) throw failure("InvalidStateError", "The port is already open.");
      await fail("Failed to open serial port.");
      port.opened = true;
      port.writable = new WritableStream({write: async data => void await take(port, data)});
    },
    async close() {
      if (port.writable.locked) throw failure("TypeError", "Cannot cancel a locked stream");
      port.opened = false;
      if (printer.fails === "pulled") throw failure("NetworkError", "The port was lost.");
    },
  };
  replace("usb", undefined);
  replace("serial", {getPorts: async () => [port], requestPort: async () => port});
}

// A Bluetooth printer takes 100 bytes at once, and is known to the page that has asked for it. A job ends with the cut, or with the connection.
function bluetoothPrinter() {
  let job = [];
  const end = () => {
    if (job.length) arrived(Uint8Array.from(job));
    job = [];
  };
  const take = async data => {
    const bytes = new Uint8Array(data.buffer || data);
    if (!gatt.connected) throw failure("NetworkError", "GATT Server is disconnected.");
    if (bytes.length > 100) throw failure("InvalidModificationError", "Value can't exceed 100 bytes.");
    if (printer.fails === "silent" && job.length) await new Promise(() => {});
    if (printer.fails === "pulled" && job.length) throw failure("NetworkError", "GATT Server is disconnected.");
    job.push(...bytes);
    if (job.slice(-4).join() === "29,86,66,0") end();
  };
  const gatt = {
    connected: false,
    async connect() {
      await fail("Connection failed.");
      gatt.connected = true;
      printer.connections += 1;
      return gatt;
    },
    disconnect() {
      gatt.connected = false;
      end();
    },
    getPrimaryServices: async () => [
      {getCharacteristics: async () => [{properties: {read: true}}]},
      {getCharacteristics: async () => [{properties: {notify: true}}, {properties: {writeWithoutResponse: true, write: printer.answers !== false}, writeValueWithResponse: take, writeValueWithoutResponse: take}]},
    ],
  };
  replace("usb", undefined);
  replace("serial", undefined);
  replace("bluetooth", {requestDevice: async options => {
    printer.asked.push(options);
    return {id: "one", gatt};
  }});
}
