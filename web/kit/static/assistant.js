// The assistant: answers that appear while they are written, and a sheet beside any page.
const opener = document.querySelector("[data-sheet]");
const sheet = document.getElementById("sheet");
const place = "assistant.sheet";
const streams = new Map();

// What the sheet shows is kept for the next page of this tab.
function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(place)) ?? {};
  } catch {
    return {};
  }
}

function remember(change) {
  try {
    sessionStorage.setItem(place, JSON.stringify({...remembered(), ...change}));
  } catch { /* the next page begins without it */ }
}

function scroller(element) {
  return element.closest(".thread");
}

// The newest text stays in view, unless the reader has scrolled up.
function keepEnd(element, change) {
  const box = scroller(element);
  const near = box && box.scrollHeight - box.scrollTop - box.clientHeight < 80;
  change();
  if (near) box.scrollTop = box.scrollHeight;
}

function say(turn, text) {
  const status = turn.querySelector(".status");
  if (status && status.textContent !== text) status.textContent = text;
}

// finish replaces a turn by what the server has of it now.
async function finish(turn) {
  const answer = await fetch(turn.dataset.part, {headers: {"HX-Request": "true"}}).catch(() => null);
  if (answer?.status === 401) {
    location.assign(answer.headers.get("HX-Redirect") ?? location.href);
    return true;
  }
  if (!answer?.ok) return answer?.status === 404;
  const html = await answer.text();
  if (!turn.isConnected) return true;
  const frame = document.createElement("template");
  frame.innerHTML = html;
  const fresh = frame.content.querySelector(".turn");
  if (!fresh) return true;
  keepEnd(turn, () => turn.replaceWith(fresh));
  const next = frame.content.querySelector(".suggestions");
  if (next) fresh.closest(".chat").querySelector(".suggestions")?.replaceWith(next);
  htmx.process(fresh);
  followAll();
  return true;
}

// follow shows an answer while it is written. After a break the browser connects again and names the last event, so that it gets what follows it.
function follow(turn, wait = 2000) {
  const known = streams.get(turn.id);
  if (known?.turn === turn) return;
  known?.source.close();
  const source = new EventSource(turn.dataset.stream);
  streams.set(turn.id, {turn, source});
  const box = turn.querySelector(".md");
  const shown = []; // blocks as they were sent
  const end = () => {
    source.close();
    if (streams.get(turn.id)?.source === source) streams.delete(turn.id);
  };
  source.addEventListener("part", event => {
    if (!turn.isConnected) return end();
    const {keep, at, html} = JSON.parse(event.data);
    if (at) html[0] = shown[keep].slice(0, at) + html[0];
    shown.splice(keep, Infinity, ...html);
    keepEnd(turn, () => {
      while (box.children.length > keep) box.lastElementChild.remove();
      box.insertAdjacentHTML("beforeend", html.join(""));
    });
    say(turn, turn.dataset.thinking);
    wait = 2000;
  });
  source.addEventListener("tool", event => say(turn, JSON.parse(event.data)));
  source.addEventListener("done", async () => {
    end();
    if (!await finish(turn)) again();
  });
  source.addEventListener("open", () => say(turn, turn.dataset.thinking));
  source.addEventListener("error", async () => {
    if (!turn.isConnected) return end();
    say(turn, turn.dataset.lost);
    if (source.readyState !== EventSource.CLOSED) return;
    end();
    if (!await finish(turn)) again();
  });
  const again = () => {
    say(turn, turn.dataset.lost);
    setTimeout(() => {
      if (turn.isConnected) follow(turn, Math.min(wait * 2, 30000));
    }, wait);
  };
}

function followAll() {
  document.querySelectorAll(".turn[data-stream]").forEach(turn => follow(turn));
  for (const [id, {turn, source}] of streams) {
    if (turn.isConnected) continue;
    source.close();
    streams.delete(id);
  }
}

function showEnds() {
  for (const box of document.querySelectorAll(".thread:not([data-shown])")) {
    box.dataset.shown = "";
    box.scrollTop = box.scrollHeight;
  }
}

// Enter sends, Shift+Enter begins a line. While an answer is written nothing is sent.
document.addEventListener("keydown", event => {
  const field = event.target;
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !field.matches?.("textarea[data-enter]")) return;
  event.preventDefault();
  if (field.value.trim() && !field.closest(".chat").querySelector("[data-stream]")) field.form.requestSubmit(field.form.querySelector(".send"));
});

// An answer is copied as text by the script of copy buttons. Its tables are a file as those of lists are.
function fileOf(answer) {
  const spanish = document.documentElement.lang === "es";
  const cell = td => {
    let text = td.textContent.replace(/[▲▼]/g, "").trim();
    if (/^[-−+]?\d[\d.,]*$/.test(text)) text = text.replace(spanish ? /\./g : /,/g, "").replace("−", "-");
    else if (/^[=+\-@\t]/.test(text)) text = "'" + text;
    return '"' + text.replaceAll('"', '""') + '"';
  };
  const lines = Array.from(answer.querySelectorAll("tr"), row => Array.from(row.cells, cell).join(spanish ? ";" : ","));
  return new Blob(["\ufeff" + lines.join("\r\n") + "\r\n"], {type: "text/csv"});
}

document.addEventListener("click", event => {
  const button = event.target.closest(".takes > button"), answer = button?.closest(".answer").querySelector(".md");
  if (!answer) return;
  if ("copy" in button.dataset) {
    button.dataset.copy = answer.innerText;
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(fileOf(answer));
  link.download = button.dataset.csv + ".csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}, true);

document.addEventListener("htmx:load", () => {
  followAll();
  showEnds();
  const chat = sheet?.querySelector(".chat");
  if (chat) remember({conversation: chat.dataset.conversation});
});

function close() {
  sheet.hidden = true;
  document.body.classList.remove("asking");
  opener.setAttribute("aria-expanded", "false");
  remember({open: false});
  opener.focus();
}

async function open(focus) {
  sheet.hidden = false;
  document.body.classList.add("asking");
  opener.setAttribute("aria-expanded", "true");
  remember({open: true});
  if (!sheet.querySelector(".chat")) {
    const {conversation} = remembered();
    const address = opener.dataset.sheet + "?" + new URLSearchParams(conversation ? {conversation} : {page: location.pathname});
    const before = document.activeElement;
    await htmx.ajax("GET", address, {target: "#sheet", swap: "innerHTML"});
    if (!focus) before?.focus?.();
  }
  if (focus) sheet.querySelector("textarea")?.focus();
}

// On a page of the assistant itself there is no sheet.
if (opener && sheet && !location.pathname.startsWith(opener.pathname)) {
  opener.setAttribute("aria-controls", "sheet");
  opener.setAttribute("aria-expanded", "false");
  opener.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (sheet.hidden) open(true);
    else close();
  });
  document.addEventListener("click", event => {
    if (event.target.closest("#sheet [data-close]")) close();
  });
  document.addEventListener("keydown", event => {
    if (event.ctrlKey && event.key === ".") {
      event.preventDefault();
      if (sheet.hidden) open(true);
      else close();
    } else if (event.key === "Escape" && sheet.contains(event.target)) {
      close();
    }
  });
  if (remembered().open && innerWidth >= 800) open(false);
}

followAll();
showEnds();
