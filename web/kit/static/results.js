// In a form of results, Enter leads to the next field, and Ctrl Enter sends. A code or a part of a name becomes the element with its name.
function plain(text) { return text.normalize("NFD").replace(/\p{M}/gu, "").trim().toLowerCase(); }

function complete(field) {
  const typed = plain(field.value), grid = document.getElementById(field.dataset.grid);
  if (!grid || !typed) return;
  const all = Array.from(grid.options, option => option.value);
  const alike = all.filter(text => plain(text).includes(typed));
  const found = all.find(text => text.split(" ")[0] === field.value.trim()) ?? (alike.length === 1 && !/^\d+$/.test(typed) ? alike[0] : null);
  if (found) field.value = found;
}

let led = false; // Enter was pressed in a field, and its character must not send the form

document.addEventListener("keydown", event => {
  const field = event.target, form = field.closest?.("form[data-next]");
  if (!form || event.key !== "Enter" || !field.matches("input[name^='r-'], select")) return;
  event.preventDefault();
  led = true;
  if (field.dataset.grid) complete(field);
  if (event.ctrlKey || event.metaKey) {
    form.requestSubmit();
    return;
  }
  const fields = Array.from(form.querySelectorAll("input[name^='r-']"));
  const next = fields.find(other => other.checkVisibility() && field.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  (next ?? form.querySelector("button[type=submit]")).focus();
});

// A remote desktop may send the character of a key apart from it.
document.addEventListener("keypress", event => { if (led && event.key === "Enter") event.preventDefault(); });
document.addEventListener("keyup", () => { led = false; });

document.addEventListener("change", event => {
  if (event.target.dataset.grid) complete(event.target);
});
