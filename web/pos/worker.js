// Keeps the point of sale in the browser, so that it opens at once and without the server. What it asks the server for is never kept here.
// settings is written before this text: the version of the files, the page, and the addresses to keep with the beginning of the SHA-256 of each file.
// Page and files are kept as of one version or not at all: while servers are replaced, one of them answers for another release.
const name = "pos-" + settings.version;

// keep loads everything anew. Without all of it the earlier worker stays, with what it has kept, and the next visit tries again.
async function keep() {
  const files = await Promise.all(Object.entries(settings.kept).map(async ([address, hash]) => [address, await load(address, hash)]));
  const page = await fetch(settings.page, {cache: "no-cache"});
  if (!await isOwn(page)) throw new Error("the page is of another release, or without a session");
  const cache = await caches.open(name);
  await Promise.all([...files, [settings.page, page]].map(([address, answer]) => cache.put(address, answer)));
}

async function load(address, hash) {
  const answer = await fetch(address, {cache: "no-cache"});
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", await answer.clone().arrayBuffer()));
  if (!answer.ok || !Array.from(sum, byte => byte.toString(16).padStart(2, "0")).join("").startsWith(hash)) throw new Error(address + " is of another release");
  return answer;
}

// isOwn reports whether an answer is the page of this version. Without a session the server redirects to the login.
async function isOwn(answer) {
  return answer.ok && !answer.redirected && (await answer.clone().text()).includes(`data-version="${settings.version}"`);
}

async function drop() {
  for (const other of await caches.keys()) if (other.startsWith("pos-") && other !== name) await caches.delete(other);
  await clients.claim();
}

// open answers with the kept page and asks for the current one, which differs by its language and texts only.
async function open(event) {
  const cache = await caches.open(name), kept = await cache.match(settings.page);
  const asked = fetch(settings.page, {cache: "no-cache"}).then(async answer => {
    if (await isOwn(answer)) await cache.put(settings.page, answer.clone());
    // a browser takes no redirected answer for a page
    return answer.redirected ? Response.redirect(answer.url) : answer;
  });
  if (!kept) return asked;
  event.waitUntil(asked.catch(() => {}));
  return kept;
}

async function find(request) {
  return await (await caches.open(name)).match(request) || fetch(request);
}

addEventListener("install", event => {
  skipWaiting();
  event.waitUntil(keep());
});
addEventListener("activate", event => event.waitUntil(drop()));
addEventListener("fetch", event => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== location.origin) return;
  if (event.request.mode === "navigate" && address.pathname === settings.page) event.respondWith(open(event));
  else if (address.pathname in settings.kept) event.respondWith(find(event.request));
});
