// What is shown is in the URL: #target?verdict=…&sort=…&open=… Target is a cell, a page, or a part of the document.

const FIELDS = ["verdict", "implementation", "mechanism", "quantity", "sort"];
const view = {target: "", verdict: "", implementation: "", mechanism: "", quantity: "", sort: "", own: "", open: new Set()};

function readView() {
  const [target, options = ""] = location.hash.slice(1).split("?");
  const found = new URLSearchParams(options);
  try { view.target = decodeURIComponent(target); } catch { view.target = ""; }
  for (const name of [...FIELDS, "own"]) view[name] = found.get(name) ?? "";
  view.open = new Set(found.getAll("open"));
}

function hashOf(target) {
  const options = new URLSearchParams();
  for (const name of [...FIELDS, "own"]) if (view[name]) options.set(name, view[name]);
  for (const name of view.open) options.append("open", name);
  const text = options.toString();
  return `#${encodeURIComponent(target)}${text ? `?${text}` : ""}`;
}

function keep() {
  history.replaceState(history.state, "", hashOf(view.target));
}

function go(target) {
  history.pushState({opened: true}, "", hashOf(target));
  view.target = target;
  show();
}

function show() {
  const cell = data.byId.get(view.target), page = data.pages.get(view.target);
  if (page) showPage(page);
  else if (!cell) hidePage();
  if (cell) showCell(cell);
  else if (dialog.open) { dialog.dataset.closing = "1"; dialog.close(); }
  if (cell || page || !view.target) return;
  const node = document.getElementById(view.target) ?? document.getElementById(encodeURIComponent(view.target).replaceAll("%2F", "/"));
  for (let parent = node; parent; parent = parent.parentElement) if (parent.tagName === "DETAILS") parent.open = true;
  if (!node) return;
  node.scrollIntoView();
  if (!node.matches("details, [tabindex]")) node.tabIndex = -1;
  (node.matches("details") ? $("summary", node) : node).focus({preventScroll: true});
}

// Every link within the page keeps the rest of the view.
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']");
  if (!data || !link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  try { go(decodeURIComponent(link.hash.slice(1).split("?")[0])); } catch { /* not ours */ }
});

// A folded part is put in when it is opened, and remembered in the URL.
function unfold(details) {
  const name = details.dataset.fragment;
  if (!name || details.dataset.filled) return;
  details.dataset.filled = "1";
  const part = make("div", {class: "fragment"});
  part.innerHTML = data.fragments.parts[name]; // written by the same templates as the page
  $(".unscripted", details)?.remove();
  details.append(part);
  prepare(part);
}

function foldable(details) {
  const initially = details.open, name = details.dataset.key ? `cause:${details.dataset.key}` : details.id;
  if (view.open.has(name)) details.open = !initially;
  if (details.open) unfold(details);
  details.addEventListener("toggle", () => {
    if (details.open) unfold(details);
    if (!name || printing) return;
    if (details.open === initially) view.open.delete(name);
    else view.open.add(name);
    keep();
  });
}

function copies(root) {
  for (const row of $$(".copy-row", root)) {
    row.hidden = !navigator.clipboard;
    const texts = $$("code", row.parentElement).map(code => code.textContent);
    for (const button of $$("button", row)) button.onclick = () => copy(button, texts[button.dataset.copy]);
  }
  for (const button of $$(".copy", root)) {
    button.hidden = !navigator.clipboard;
    button.onclick = () => copy(button, $("code", button.parentElement).textContent);
  }
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  button.dataset.word ??= button.textContent;
  button.textContent = "copied";
  setTimeout(() => { button.textContent = button.dataset.word; }, 1500);
}

// Cells in the matrix of a cause become links; buttons copy; folded parts unfold.
function prepare(root) {
  copies(root);
  for (const table of $$("table.squares", root)) {
    const names = $$("thead th", table).map(head => head.dataset.name);
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((square, k) => {
      const cell = k ? data.byId.get(`${row.cells[0].textContent}/${table.dataset.code}/${names[k]}`) : null;
      if (cell) square.replaceChildren(linkTo(cell, square.textContent));
    });
    roving(table);
  }
}

// What one prints is every cause that is not filtered out, without known findings. Afterwards it is as it was.
let printing = false, opened = [];
addEventListener("beforeprint", () => {
  printing = true;
  opened = $$(".causes details.cause:not([open])");
  for (const details of opened) { details.open = true; if (data) unfold(details); }
});
addEventListener("afterprint", () => {
  for (const details of opened) details.open = false;
  setTimeout(() => { printing = false; });
});
