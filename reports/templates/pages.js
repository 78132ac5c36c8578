// A page for every mechanism, in place of the rest of the document; then the start of everything.

function showPage(mechanism) {
  const page = $("#page"), part = $("[data-slot=page]", page);
  const was = page.dataset.name;
  page.hidden = false;
  document.body.classList.add("paging");
  $("#page-title").textContent = mechanism.name;
  part.innerHTML = data.fragments.mechanisms[mechanism.k]; // written by the same templates as the page
  for (const place of $$("[data-results]", part)) place.append(results(mechanism));
  prepare(part);
  page.dataset.name = mechanism.name;
  for (const link of $$("a[data-turn]", page)) {
    const next = data.mechanisms[mechanism.k + Number(link.dataset.turn)];
    link.hidden = !next;
    if (next) { link.href = `#${encodeURIComponent(`page:${next.name}`)}`; link.setAttribute("aria-label", `${link.textContent} mechanism: ${next.name}`); }
  }
  if (was !== mechanism.name) { scrollTo(0, 0); $("#page-title").focus(); }
}

function hidePage() {
  const page = $("#page");
  page.hidden = true;
  delete page.dataset.name;
  document.body.classList.remove("paging");
}

// All quantities × all implementations.
function results(mechanism) {
  const cells = data.cells.filter(cell => cell.mechanism === mechanism), parts = data.implementations.map(entry => [entry]);
  const table = make("table", {class: "map"}), heads = table.createTHead().insertRow();
  heads.append(make("th", {scope: "col", colspan: 2}, "Quantity"), ...data.implementations.map(entry => make("th", {scope: "col", class: "implementation"}, make("bdi", {}, entry.name))));
  table.createTBody().append(...quantityRows(mechanism, cells, parts).slice(1));
  table.classList.toggle("many", parts.length > 5);
  roving(table);
  return table;
}

async function start() {
  $("#unscripted").remove();
  readView();
  data = await load();
  document.body.classList.add("scripted");
  $$("details").forEach(foldable);
  prepare(document);
  prepareMap();
  addEventListener("popstate", prepareView);
  show();
  document.documentElement.dataset.ready = "1";
}

// The browser went back or forward. The map is only drawn again if it changes, so that it keeps the focus.
function prepareView() {
  const table = $("#map"), before = hashOf("");
  readView();
  if (table && hashOf("") !== before) {
    for (const control of controls()) control.value = view[control.name];
    drawMap();
  }
  show();
}

start();
