// Reads the code of a receipt by the camera, where the browser has a detector of codes.
import {pause} from "./pos-api.js";
import {closing, main, open, saying} from "./pos-dialog.js";
import {say} from "./pos-format.js";
import {scanOf} from "./pos-prizes.js";
import {el} from "./pos-view.js";

// milliseconds between two looks
const every = 150;

// detector returns what finds QR codes in a picture, null where the browser has none.
async function detector() {
  const Detector = window.BarcodeDetector, formats = ["qr_code"];
  if (!Detector || !navigator.mediaDevices || !(await Detector.getSupportedFormats()).includes(formats[0])) return null;
  return new Detector({formats});
}

// camera shows what the camera sees until it sees a receipt, whose serial code found is given, or until the dialog shows something else.
export async function camera(found) {
  const codes = await detector();
  if (!codes) return open(say("camera"), [el("p", {}, say("camera.none"))], [main(say("done"))], closing);
  const video = el("video.camera", {playsinline: true, "aria-label": say("camera")}), said = el("p", {role: "status"}, say("camera.hold"));
  open(say("camera"), [video, said], [], null);
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({video: {facingMode: "environment"}});
  } catch {
    return saying(new Error(say("camera.refused")));
  }
  try {
    video.muted = true;
    video.srcObject = stream;
    video.play().catch(() => {});
    await look(codes, video, said, found);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

async function look(codes, video, said, found) {
  for (; video.isConnected; await pause(every)) {
    // the first pictures of some cameras cannot be read yet
    const [seen] = await codes.detect(video).catch(() => []), read = seen && scanOf(seen.rawValue);
    if (!video.isConnected) return;
    if (read) return found(read.serial);
    if (seen) said.textContent = say("camera.other");
  }
}
