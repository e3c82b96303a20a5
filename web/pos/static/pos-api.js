// Calls of the public API with the access token of the browser's session, which stays in the memory of this page.
import {say} from "./pos-format.js";

const root = document.documentElement;
const sessionAddress = "/vender/session";
// milliseconds until an answer counts as lost
const slow = 15000;

// what the server says of the session
let session = null;
// when the token is renewed, by performance.now()
let renewAt = 0;
// of the server's clock to that of this machine
let offset = 0;

export const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

// within waits for work for at most some milliseconds, and does not fail.
export const within = (milliseconds, work) => Promise.race([work, pause(milliseconds)]).catch(() => {});

// now is the time of the server, in milliseconds.
export const now = () => Date.now() + offset;

// Lost is an answer that did not come: whether the request was carried out is unknown.
export class Lost extends Error {}

// Ended is the end of the session. The request was not carried out.
export class Ended extends Error {}

// Refused is an answer with an error. The request was not carried out, unless unknown is set.
export class Refused extends Error {
  constructor(status, problem, wait) {
    super(problem.detail || problem.title || String(status));
    this.status = status;
    this.code = problem.code || "";
    this.lines = problem.errors || [];
    // seconds, 0 for none
    this.wait = wait;
    // without a code it is not the API's own answer, or a part of it
    this.unknown = !this.code || this.code === "OUTCOME_UNKNOWN" || status >= 500 && !wait;
    this.later = status === 429 || status === 503 || status === 408;
  }
}

async function ask(address, options, bound = slow) {
  const abort = new AbortController(), timer = setTimeout(() => abort.abort(), bound);
  try {
    const answer = await fetch(address, {...options, signal: abort.signal, redirect: "manual"});
    // the connection may break in the middle of the answer
    const body = await answer[options.as || "text"]();
    return {status: answer.status, headers: answer.headers, body};
  } catch (e) {
    throw new Lost(e.message);
  } finally {
    clearTimeout(timer);
  }
}

// enter returns the session of the browser's cookie with a new token.
export async function enter(bound = slow) {
  const before = Date.now();
  const answer = await ask(sessionAddress, {headers: {"HX-Request": "true"}, cache: "no-store"}, bound);
  if (answer.status === 401 || answer.status === 0) throw new Ended(say("ended"));
  if (answer.status === 403) throw new Refused(403, {code: "FORBIDDEN", detail: say("forbidden")}, 0);
  if (answer.status !== 200) throw new Lost(String(answer.status));
  session = JSON.parse(answer.body);
  offset = Date.parse(session.now) - (before + Date.now()) / 2;
  renewAt = performance.now() + session.valid * 800;
  return session;
}

// who is the session of the token; null without one.
export const who = () => session;

// ready makes sure that there is a token. Errors: as of enter.
export async function ready() { if (!session || performance.now() > renewAt) await enter(); }

// leave forgets the token, so that the next call asks for another one.
export function leave() { session = null; }

function problemOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

// whole reads a JSON text. A browser takes an answer whose connection broke among its headers for an empty one.
function whole(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Lost("a part of an answer");
  }
}

// call returns {status, body, headers} of an operation, or of a document of the counter itself (own). Errors: Lost, Ended, Refused.
export async function call(method, path, {body, key, as, own} = {}, again = true) {
  await ready();
  const headers = {Authorization: "Bearer " + session.token, "Accept-Language": root.lang};
  if (body) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  const answer = await ask((own ? "" : root.dataset.api) + path, {method, headers, as: as || "text", cache: method === "GET" ? "no-cache" : "no-store", ...(body && {body: JSON.stringify(body)})});
  if (answer.status === 401 && again) {
    session = null;
    return call(method, path, {body, key, as, own}, false);
  }
  if (answer.status === 401) throw new Ended(say("ended"));
  if (answer.status >= 200 && answer.status < 300) return {...answer, body: as || answer.status === 204 ? answer.body : whole(answer.body)};
  const text = as === "blob" || as === "arrayBuffer" ? await new Response(answer.body).text() : answer.body;
  throw new Refused(answer.status, problemOf(text), Number(answer.headers.get("Retry-After")) || 0);
}

export const read = async (path, options) => (await call("GET", path, options)).body;
