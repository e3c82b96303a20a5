// A form whose session ended before it was sent is kept by its window, and filled again after the login of the same user. Passwords, files and what a
// page writes into hidden fields are not kept. A form that arrived is forgotten with the next page.
const stored = "form", lost = "form-lost", most = 100_000, longest = 30 * 60_000;
const user = document.body.dataset.user, atLogin = Boolean(document.querySelector('form[action="/admin/login"]'));

// filled are the fields that a person fills in.
function filled(form) {
  return Array.from(form.elements).filter(field => field.name && !field.readOnly && field.matches("textarea, select, input:not([type=hidden], [type=password], [type=file], [type=submit])"));
}

function keep(form) {
  const fields = filled(form).map(field => [field.name, field.value, /^(radio|checkbox)$/.test(field.type) ? field.checked : null]);
  const text = JSON.stringify({user, action: form.getAttribute("action"), at: Date.now(), fields});
  if (user && fields.length && text.length < most) sessionStorage.setItem(stored, text);
}

// fill writes kept fields into a form, each into the field of its name, of which there may be several.
function fill(form, fields) {
  const left = fields.slice();
  for (const field of filled(form)) {
    const marked = /^(radio|checkbox)$/.test(field.type), i = left.findIndex(([name, value]) => name === field.name && (!marked || value === field.value));
    if (i < 0) continue;
    const [[, value, checked]] = left.splice(i, 1);
    if (marked) field.checked = checked;
    else field.value = value;
    field.dispatchEvent(new Event("input", {bubbles: true}));
  }
}

function restore() {
  const kept = JSON.parse(sessionStorage.getItem(stored));
  if (!kept || kept.user !== user || Date.now() - kept.at > longest) return true;
  const form = Array.from(document.querySelectorAll("form[method=post]")).find(one => one.getAttribute("action") === kept.action);
  if (!form) return false;
  fill(form, kept.fields);
  const said = document.createElement("p");
  said.className = "notice";
  said.setAttribute("role", "status");
  said.textContent = document.body.dataset.refilled;
  form.prepend(said);
  for (let part = form; part; part = part.parentElement) if (part.matches("details")) part.open = true;
  said.scrollIntoView({block: "center"});
  return true;
}

function forget() {
  sessionStorage.removeItem(stored);
  sessionStorage.removeItem(lost);
}

// The page that asks for the password names what it confirms: the button that was pressed, and the page it was on.
const pressed = "pressed";
function name(event) {
  const text = event.submitter?.textContent.trim(), title = document.querySelector("main h1")?.textContent.trim();
  if (text && !document.querySelector("[data-confirms]")) sessionStorage.setItem(pressed, [text, title].filter(Boolean).join(" · "));
}

try {
  const confirms = document.querySelector("[data-confirms]"), named = sessionStorage.getItem(pressed);
  if (confirms && named) {
    confirms.textContent = confirms.dataset.confirms.replace("%s", named);
    confirms.hidden = false;
  }
  document.addEventListener("submit", event => { if (event.target.matches("form[method=post]")) name(event); });
  if (atLogin) {
    if (sessionStorage.getItem(stored)) sessionStorage.setItem(lost, "yes");
  } else if (!sessionStorage.getItem(lost) || restore()) forget();
  document.addEventListener("submit", event => {
    if (!atLogin && event.target.matches("form[method=post]:not([action$='/logout'])")) keep(event.target);
  });
} catch (e) {
  console.error(e); // a browser that keeps nothing
}
