// A field with a datalist and the attribute data-picker becomes a combobox, as browsers filter a datalist by accents and
// do not ask the server. Suggestions are the options of the datalist, or come from the address in data-picker.
const most = 20, pause = 150;

function fold(text) { return text.normalize("NFD").replace(/\p{M}/gu, "").trim().toLowerCase(); }

// found is what an option of an answer stands for.
function found(option) { return {text: option.value, note: option.label === option.value ? "" : option.label, link: option.dataset.link}; }

class Picker {
  constructor(input) {
    this.input = input;
    this.given = Array.from(input.list?.options ?? [], found);
    this.asked = 0;
    this.box = document.createElement("ul");
    this.box.id = "b-" + input.id;
    this.box.role = "listbox";
    this.box.hidden = true;
    this.box.ariaLabel = input.labels[0]?.textContent ?? input.ariaLabel;
    input.removeAttribute("list");
    input.after(this.box);
    for (const [name, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-autocomplete", "list"], ["aria-controls", this.box.id]]) {
      input.setAttribute(name, value);
    }
    input.addEventListener("input", () => this.search());
    input.addEventListener("click", () => { if (this.box.hidden) this.search(); });
    input.addEventListener("keydown", event => this.key(event));
    input.addEventListener("blur", () => this.close());
    this.box.addEventListener("pointerdown", event => {
      event.preventDefault(); // the field keeps the focus
      const option = event.target.closest("[role=option]");
      if (option) this.choose(option);
    });
  }

  get options() { return Array.from(this.box.querySelectorAll("[role=option]")); }

  search() {
    const typed = fold(this.input.value);
    if (!this.input.dataset.picker) {
      this.show(this.given.filter(one => fold(one.text).includes(typed)));
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pause);
    if (!this.box.hidden) this.keep(typed);
  }

  // keep leaves only the suggestions that fit what is typed until the server has answered: one of an earlier text is not chosen by mistake.
  keep(typed) {
    const fitting = this.options.map(option => option.found).filter(one => fold(one.text + " " + one.note).includes(typed));
    if (fitting.length) this.show(fitting);
    else this.hide();
  }

  // ask shows the server's suggestions, unless others were asked for meanwhile.
  async ask() {
    const asked = ++this.asked, address = new URL(this.input.dataset.picker, location);
    address.searchParams.set("q", this.input.value.trim());
    let given = this.given;
    try {
      const response = await fetch(address, {headers: {"HX-Request": "true"}});
      if (response.ok) {
        const answer = document.createElement("template");
        answer.innerHTML = await response.text();
        given = Array.from(answer.content.querySelectorAll("option"), found);
      }
    } catch { /* without an answer the given options are shown */ }
    if (asked === this.asked && document.activeElement === this.input) this.show(given);
  }

  // show replaces the suggestions. A marked one stays marked if it is among the new ones.
  show(found) {
    const marked = this.marked?.found.text;
    this.box.replaceChildren(...found.slice(0, most).map((one, i) => {
      const option = document.createElement("li");
      option.id = this.box.id + "-" + i;
      option.role = "option";
      option.ariaSelected = "false";
      option.textContent = one.text;
      option.found = one;
      if (one.note) option.append(" ", Object.assign(document.createElement("span"), {className: "note", textContent: one.note}));
      return option;
    }));
    if (!found.length) {
      const none = document.createElement("li");
      none.className = "faint";
      none.textContent = this.input.dataset.none;
      this.box.append(none);
    }
    this.box.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark(this.options.find(option => option.found.text === marked) ?? null);
  }

  close() {
    clearTimeout(this.timer);
    this.asked++;
    this.hide();
  }

  hide() {
    this.box.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.mark(null);
  }

  mark(option) {
    for (const other of this.options) other.ariaSelected = String(other === option);
    this.marked = option;
    if (!option) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    this.input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({block: "nearest"});
  }

  choose(option) {
    this.input.value = option.found.text;
    this.close();
    this.input.dispatchEvent(new Event("change", {bubbles: true}));
  }

  key(event) {
    const all = this.options, at = all.indexOf(this.marked);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.box.hidden) this.search();
      else if (all.length) this.mark(all[(at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1) + all.length) % all.length]);
    } else if (event.key === "Enter" && this.marked) {
      event.preventDefault();
      this.choose(this.marked);
    } else if (event.key === "Escape" && !this.box.hidden) {
      event.preventDefault(); // a dialog around the field stays open
      event.stopPropagation();
      this.close();
    }
  }
}

// The search of the frame leads to what is chosen: pages, actions and objects. Before something is typed it has the objects that this window showed last.
const recent = "recent";

function visited() {
  try { return JSON.parse(sessionStorage.getItem(recent)) ?? []; } catch { return []; }
}

function visit() {
  const text = document.querySelector("main h1")?.textContent.trim(), link = location.pathname;
  if (!text || !/\/[0-9a-f-]{36}$/.test(link)) return;
  const others = visited().filter(one => one.link !== link && one.user === document.body.dataset.user);
  try { sessionStorage.setItem(recent, JSON.stringify([{text, link, user: document.body.dataset.user}, ...others].slice(0, 6))); } catch { /* a browser that keeps nothing */ }
}

class Palette extends Picker {
  show(list) {
    const own = this.input.value.trim() ? [] : visited().filter(one => one.user === document.body.dataset.user);
    super.show([...own.map(one => ({...one, note: this.input.dataset.recent})), ...list]);
  }

  choose(option) {
    this.close();
    location.assign(option.found.link);
  }
}

visit();
for (const find of document.querySelectorAll("[data-recent]")) new Palette(find);

function pickers(root) {
  for (const input of root.querySelectorAll("input[data-picker][list]")) new Picker(input);
}

document.addEventListener("htmx:load", event => pickers(event.target));
pickers(document);
