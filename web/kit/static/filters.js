// A filter takes effect as it is filled in: choices and days at once, a text when nothing was typed for a while. The page around the form is replaced; the
// field that has the focus, and what is typed in it, stays. The address is the one of the filter, so that it can be shared.
const pause = 400;
let timer = 0, asked = null;

function addressOf(form) {
  const address = new URL(form.getAttribute("action") ?? location.pathname, location);
  address.search = "";
  for (const [name, value] of new FormData(form)) if (value !== "" || form.elements[name]?.dataset?.keep !== undefined) address.searchParams.append(name, value);
  return address;
}

// refit gives a field that stays what the fresh one says of it.
function refit(old, child, own) {
  old.querySelector(".wrong")?.remove();
  const wrong = child.querySelector(".wrong");
  if (wrong) old.append(wrong);
  for (const name of ["aria-invalid", "aria-describedby"]) {
    if (wrong) own.setAttribute(name, child.querySelector("[name]").getAttribute(name));
    else own.removeAttribute(name);
  }
  return old;
}

function alike(a, b) {
  return a.options.length === b.options.length && Array.from(a.options).every((one, i) => one.value === b.options[i].value && one.text === b.options[i].text);
}

// renew makes the form like the fresh one. Its fields stay, but a choice between other values is replaced, unless it has the focus. What was changed since
// the request was sent stays, and takes effect.
function renew(form, fresh, sent) {
  const olds = new Map(Array.from(form.children, child => [child.querySelector("[name]")?.name, child]));
  const wanted = Array.from(fresh.children, child => {
    const control = child.querySelector("[name]"), old = control && olds.get(control.name), own = old?.querySelector("[name]");
    if (!own) return child;
    const changed = own.value !== (sent.get(own.name) ?? ""), held = own === document.activeElement;
    if (changed) soon(form);
    if (own.matches("select") && !held && !alike(own, control)) {
      if (changed) control.value = own.value;
      return child;
    }
    if (!changed && !held) own.value = control.value;
    return refit(old, child, own);
  });
  wanted[0]?.setAttribute("aria-expanded", String(form.classList.contains("open"))); // the button of a phone
  let next = form.firstChild;
  for (const child of wanted) {
    while (next && next !== child && !wanted.includes(next)) next = next.nextSibling;
    if (child === next) next = next.nextSibling;
    else form.insertBefore(child, next);
  }
  for (const child of Array.from(form.childNodes)) if (!wanted.includes(child)) child.remove();
}

async function apply(form) {
  clearTimeout(timer);
  const address = addressOf(form), main = form.closest("main");
  if (form.parentElement !== main || document.querySelector(".stream[data-stream]")) return location.assign(address);
  asked?.abort();
  const own = asked = new AbortController(), sent = new FormData(form);
  main.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, {headers: {Accept: "text/html"}, signal: own.signal});
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const content = page.querySelector("main"), fresh = content?.querySelector(":scope > form.filter");
    if (own !== asked) return;
    if (!answer.ok || !fresh || new URL(answer.url).pathname !== address.pathname) return location.assign(address);
    for (const child of Array.from(main.childNodes)) if (child !== form) child.remove();
    let before = true;
    for (const child of Array.from(content.childNodes)) {
      if (child === fresh) before = false;
      else if (before) form.before(child);
      else main.append(child);
    }
    renew(form, fresh, sent);
    document.title = page.title;
    history.replaceState(null, "", answer.url);
    htmx.process(main);
    main.dispatchEvent(new CustomEvent("htmx:load", {bubbles: true}));
  } catch (e) {
    if (e.name !== "AbortError") form.classList.add("held"); // its button asks again
  } finally {
    if (own === asked) main.removeAttribute("aria-busy");
  }
}

// typedElsewhere reports whether a form of the page has something typed, which the next page would not have.
function typedElsewhere(form) {
  const fields = form.closest("main").querySelectorAll('form[method="post"] :is(input:not([type=hidden], [type=checkbox], [type=radio]), textarea)');
  return Array.from(fields).some(field => field.value !== field.defaultValue);
}

// take applies the filter, or shows its button where something is typed elsewhere.
function take(form) {
  if (form.classList.toggle("held", typedElsewhere(form))) clearTimeout(timer);
  else apply(form);
}

// soon applies the filter when nothing more was typed; a picker says itself when it has chosen.
function soon(form) {
  clearTimeout(timer);
  timer = setTimeout(() => { if (form.isConnected) take(form); }, pause);
}

let typed = 0; // when a key was pressed last: a day is typed part by part

document.addEventListener("keydown", event => { if (event.target.matches?.("form.filter [type=date]")) typed = performance.now(); }, true);
document.addEventListener("change", event => {
  const field = event.target, form = field.closest?.("form.filter");
  if (!form || field.matches("input:not([type=date], [type=checkbox], [type=radio], [data-picker])")) return;
  if (field.type === "date" && performance.now() - typed < 2 * pause) soon(form);
  else take(form);
});
document.addEventListener("input", event => {
  const field = event.target, form = field.closest?.("form.filter");
  if (form && !event.isComposing && field.matches("input:not([type=date], [type=checkbox], [type=radio], [data-picker])")) soon(form);
});
document.addEventListener("click", event => { // on a phone the fields are behind a button
  const button = event.target.closest?.("form.filter > .opens");
  if (button) button.setAttribute("aria-expanded", String(button.form.classList.toggle("open")));
});
document.addEventListener("submit", event => {
  if (!event.target.matches("form.filter")) return;
  event.preventDefault();
  apply(event.target);
});
