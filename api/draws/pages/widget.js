// Shows the results of today in place of its script element. It sends no cookies, and the styles of the site and its own do not meet.
(() => {
  const script = document.currentScript, all = "texts";
  if (!script) return;
  const {games = "", into, theme, lang} = script.dataset, address = new URL("../resultados", script.src);
  const language = [lang, document.documentElement.lang.slice(0, 2)].find(code => Object.hasOwn(all, code)) ?? "es", say = all[language];
  const wanted = games.split(",").map(name => name.trim().toLowerCase()).filter(Boolean);
  const style = `:host{display:block;color-scheme:light dark;font:14px/1.45 system-ui,sans-serif}:host([data-theme=light]){color-scheme:light}:host([data-theme=dark]){color-scheme:dark}
main{padding:12px 16px;color:light-dark(#1b1f24,#e6edf3);background:light-dark(#fff,#161b22);border:1px solid light-dark(#d0d7de,#30363d);border-radius:8px}
header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 12px}h2,h3,p{margin:0;font-size:14px}h2{font-size:16px}p,span,footer{color:light-dark(#57606a,#a3adb8)}
div{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,200px),1fr));gap:8px 20px}section{padding-top:8px}
ul{margin:0;padding:0;list-style:none}li{display:grid;grid-template-columns:72px 1fr;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}a{color:light-dark(#0b57a4,#79b8ff)}`;

  const host = document.createElement("div"), root = host.attachShadow({mode: "open"}), sheet = new CSSStyleSheet();
  host.lang = language;
  if (theme) host.dataset.theme = theme;
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];

  const make = (name, ...content) => {
    const element = document.createElement(name);
    element.append(...content); // texts, never markup
    return element;
  };

  function row(result) { return make("li", make("span", String(result.time)), make("b", String(result.result))); }

  function draw(day) {
    const link = Object.assign(make("a", say.all), {href: address.href, rel: "noopener"});
    const shown = day.games.filter(game => !wanted.length || wanted.includes(game.name.toLowerCase()));
    const sections = shown.map(game => make("section", make("h3", game.name), make("ul", ...game.results.map(row))));
    const body = sections.length ? make("div", ...sections) : make("p", say.none);
    root.replaceChildren(make("main", make("header", make("h2", [say.title, day.house].filter(Boolean).join(" · ")), link), body));
  }

  async function load() {
    try {
      const answer = await fetch(address, {credentials: "omit", headers: {Accept: "application/json"}, signal: AbortSignal.timeout(10000)});
      if (!answer.ok) throw new Error(String(answer.status));
      draw((await answer.json()).data);
    } catch {
      if (!root.firstChild) root.append(make("main", make("p", say.lost))); // else the last results stay
    }
  }

  function begin() {
    const place = into && document.querySelector(into);
    if (place) place.append(host);
    else script.after(host);
    load();
    setInterval(() => { if (!document.hidden) load(); }, 60000);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) load(); });
  }

  if (into && document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
