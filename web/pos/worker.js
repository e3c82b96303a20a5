// Keeps the point of sale in the browser, so that it opens at once and without the server. What it asks the server for is never kept here.
// settings is written before this text: the version of the files, the page, and the addresses to keep.
const name = "pos-" + settings.version;

async function keep() {
  const cache = await caches.open(name);
  await cache.addAll(settings.kept.filter(address => address !== settings.page));
  await renewPage(cache).catch(() => {}); // the next visit keeps it
}

// The page is kept only if it was answered itself: without a session the server redirects to the login.
async function renewPage(cache) {
  const answer = await fetch(settings.page, {cache: "no-cache"});
  if (answer.ok && !answer.redirected) await cache.put(settings.page, answer.clone());
  return answer;
}

async function drop() {
  for (const other of await caches.keys()) if (other.startsWith("pos-") && other !== name) await caches.delete(other);
  await clients.claim();
}

async function open(event) {
  const cache = await caches.open(name), kept = await cache.match(settings.page);
  if (!kept) return renewPage(cache);
  event.waitUntil(renewPage(cache).catch(() => {}));
  return kept;
}

async function load(request) {
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
  else if (settings.kept.includes(address.pathname) && address.pathname !== settings.page) event.respondWith(load(event.request));
});
