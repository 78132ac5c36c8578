// The map: mechanisms × implementations. A mechanism opens its quantities; what is filtered out does not count.

const collator = new Intl.Collator("en", {numeric: true});

function matching(cell) {
  const {verdict} = view, name = cell.verdict.name.replace(" ", "-");
  return ["implementation", "mechanism", "quantity"].every(part => !view[part] || String(cell[part].k) === view[part])
    && (!verdict || name === verdict || (verdict === "problems" && (name === "discrepancy" || name === "failed")));
}

function linkTo(cell, text, about = words(cell)) {
  return make("a", {href: `#${encodeURIComponent(cell.id)}`, "aria-label": about, title: about}, text);
}

function paint(square, cells, extra = "") {
  const cell = gravest(cells);
  square.className = `${cell ? `${cell.verdict.name.replace(" ", "-")} h${level(cell.error)}` : "not-run h0"} ${extra}`.trim();
  const sum = cells.length > 1 ? `${words(cell)}, the worst of ${cells.length}` : cell && words(cell);
  square.replaceChildren(...cell ? [linkTo(cell, cell.error === null ? cell.verdict.sign : units(cell.error), sum)] : []);
}

function columns() {
  const own = data.implementations.filter(entry => entry.own), others = data.implementations.filter(entry => !entry.own);
  const fold = own.length > 1 && others.length > 0 && !view.own;
  return [...others.map(entry => [entry]), ...(fold ? [own] : own.map(entry => [entry]))];
}

function drawMap() {
  const table = $("#map"), shown = data.cells.filter(matching), body = table.tBodies[0], rows = [];
  const parts = columns();
  const by = new Map();
  for (const cell of shown) {
    const key = cell.mechanism.k;
    if (!by.has(key)) by.set(key, []);
    by.get(key).push(cell);
  }
  const heads = $$("thead th", table).slice(0, 2);
  $("thead tr", table).replaceChildren(...heads, ...parts.map(part => head(part)));
  table.classList.toggle("many", parts.length > 5);
  const found = data.mechanisms.filter(m => by.has(m.k));
  const worst = m => gravest(by.get(m.k)), [key, way] = view.sort.split("-"), sign = way === "down" ? -1 : 1;
  const grave = m => [-GRAVITY.indexOf(worst(m).verdict.name), worst(m).error ?? 0];
  if (key === "name") found.sort((a, b) => sign * collator.compare(a.name, b.name));
  if (key === "dof") found.sort((a, b) => sign * (a.nv - b.nv));
  if (key === "worst") found.sort((a, b) => sign * (grave(a)[0] - grave(b)[0] || grave(a)[1] - grave(b)[1]));
  for (const m of found) {
    const name = `row:${m.name}`, open = view.open.has(name);
    const toggle = make("button", {type: "button", class: "toggle", "aria-expanded": String(open), "data-row": name}, make("bdi", {}, m.name));
    const row = make("tr", {}, make("th", {scope: "row"}, toggle), make("td", {class: "number"}, String(m.nv)));
    rows.push(row);
    for (const part of parts) {
      row.append(make("td"));
      paint(row.lastChild, by.get(m.k).filter(cell => part.includes(cell.implementation)));
    }
    if (open) rows.push(...quantityRows(m, by.get(m.k), parts));
  }
  body.replaceChildren(...rows);
  drawHeads(table);
  order = found.flatMap(m => by.get(m.k)).filter(cell => view.verdict || cell.verdict.name !== "not offered");
  countShown(found.length);
  $$("button, td a", table.tBodies[0]).forEach((stop, k) => { stop.tabIndex = k ? -1 : 0; });
}

let order = []; // the cells that are shown, for previous and next

function head(part) {
  const cell = make("th", {scope: "col", class: "implementation"});
  if (part.length === 1) cell.append(make("bdi", {}, part[0].name));
  const own = part[0].own && data.implementations.some(entry => !entry.own) && data.implementations.filter(entry => entry.own).length > 1;
  const first = data.implementations.find(entry => entry.own) === part[0];
  if (own && (part.length > 1 || first)) {
    const text = part.length > 1 ? `dalembert’s own ${part.length}` : "fold";
    const button = make("button", {type: "button", class: "own", "aria-expanded": String(part.length === 1)}, text);
    button.onclick = () => { view.own = view.own ? "" : "1"; keep(); drawMap(); $("#map .own")?.focus(); };
    cell.append(button);
  }
  return cell;
}

function quantityRows(m, cells, parts) {
  const rows = [], link = make("a", {href: `#${encodeURIComponent(`page:${m.name}`)}`}, "Page of ", make("bdi", {}, m.name));
  rows.push(make("tr", {class: "about"}, make("td", {colspan: 2 + parts.length}, link)));
  let group = null;
  for (const quantity of data.quantities) {
    const own = cells.filter(cell => cell.quantity === quantity);
    if (!own.some(cell => cell.verdict.name !== "not offered")) continue;
    const title = quantity.group || "invariants";
    if (title !== group) rows.push(make("tr", {class: "group"}, make("th", {scope: "colgroup", colspan: 2 + parts.length}, title)));
    group = title;
    const label = quantity.group ? [make("i", {}, quantity.symbol), ` ${quantity.title}`] : [quantity.name];
    const row = make("tr", {class: "quantity"}, make("th", {scope: "row", colspan: 2}, ...label));
    for (const part of parts) {
      row.append(make("td"));
      paint(row.lastChild, own.filter(cell => part.includes(cell.implementation)));
    }
    rows.push(row);
  }
  return rows;
}

function drawHeads(table) {
  for (const head of $$("th[data-sort]", table)) {
    if (!$("button", head)) {
      const button = make("button", {type: "button"}, ...head.childNodes);
      button.onclick = () => {
        const [key, way] = view.sort.split("-");
        view.sort = key === head.dataset.sort && way !== "down" ? `${key}-down` : head.dataset.sort;
        $(".order select").value = view.sort;
        keep();
        drawMap();
      };
      head.append(button);
    }
    const [key, way] = view.sort.split("-");
    head.setAttribute("aria-sort", key !== head.dataset.sort ? "none" : way === "down" ? "descending" : "ascending");
  }
}

// A table is one stop for the Tab key; arrow keys move from cell to cell.
function roving(table) {
  const stops = "tbody a, tbody button";
  $$(stops, table).forEach((stop, k) => { stop.tabIndex = k ? -1 : 0; });
  table.addEventListener("focusin", event => {
    if (!event.target.closest("tbody")) return;
    for (const stop of $$("tbody [tabindex='0']", table)) stop.tabIndex = -1;
    event.target.tabIndex = 0;
  });
  table.addEventListener("keydown", event => {
    const step = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key];
    const cell = event.target.closest("tbody th, tbody td");
    if (!step || !cell) return;
    event.preventDefault();
    const rows = [...table.tBodies[0].rows], place = node => { let n = 0; while ((node = node.previousElementSibling)) n += node.colSpan; return n; };
    let r = rows.indexOf(cell.parentElement), c = place(cell), next = null;
    do {
      if (step[1]) { next = step[1] > 0 ? (next ?? cell).nextElementSibling : (next ?? cell).previousElementSibling; }
      else { r += step[0]; next = rows[r] ? [...rows[r].cells].find(one => place(one) === c) ?? rows[r].cells[0] : null; }
    } while (next && !$("a, button", next));
    if (next) $("a, button", next).focus();
  });
}

// Hides the causes that are filtered out, groups of which nothing is left, and rows of other codes; and counts.
function countShown(mechanisms) {
  const causes = $$(".cause"), parts = ["implementation", "mechanism", "quantity", "verdict"];
  for (const cause of causes) cause.hidden = parts.some(part => view[part] && !cause.dataset[part].split(" ").includes(view[part]));
  for (const group of $$(".code")) group.hidden = !$(".cause:not([hidden])", group);
  for (const row of $$(".overview tr[data-implementation]")) row.hidden = Boolean(view.implementation) && row.dataset.implementation !== view.implementation;
  const some = causes.length ? `${causes.filter(cause => !cause.hidden).length} of ${causes.length} ${causes.length === 1 ? "cause" : "causes"}; ` : "";
  $(".filters output").textContent = `${some}${order.length} ${order.length === 1 ? "cell" : "cells"} on ${mechanisms} of ${data.mechanisms.length} ${data.mechanisms.length === 1 ? "mechanism" : "mechanisms"}`;
}

const controls = () => $$(".filters select, .order select");

function prepareMap() {
  const table = $("#map");
  if (!table) return;
  for (const control of controls()) control.value = view[control.name];
  $(".order").hidden = $(".scripted", table).hidden = false;
  const changed = () => {
    for (const control of controls()) view[control.name] = control.value;
    keep();
    drawMap();
  };
  for (const control of controls()) control.addEventListener("input", changed);
  $(".filters").addEventListener("submit", event => event.preventDefault());
  $(".filters").addEventListener("reset", () => setTimeout(changed));
  table.addEventListener("click", event => {
    const toggle = event.target.closest(".toggle");
    if (!toggle) return;
    const name = toggle.dataset.row;
    if (!view.open.delete(name)) view.open.add(name);
    keep();
    drawMap();
    $$(".toggle", table).find(one => one.dataset.row === name)?.focus();
  });
  roving(table);
  drawMap();
}
