// Sorting and filtering.

const collator = new Intl.Collator("en", {numeric: true});

function sortable(table) {
  const body = table.tBodies[0], column = {name: 0, dof: 1, worst: 2};
  for (const head of $$("th[data-sort]", table)) {
    const key = head.dataset.sort, button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") === (key === "worst" ? "none" : "ascending");
      for (const other of $$("th[data-sort]", table)) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = row => row.cells[column[key]];
      const order = key === "name" ? (a, b) => collator.compare(value(a).textContent, value(b).textContent)
        : (a, b) => value(a).dataset.value - value(b).dataset.value;
      body.append(...[...body.rows].sort((a, b) => down ? order(b, a) : order(a, b)));
    };
  }
}

function filterable(tables, form) {
  const FIXED = 3, output = $("output", form), field = form.elements;
  const filter = table => {
    const heads = $$("th[data-implementation]", table), groups = $$("th.group", table);
    const text = field.text.value.trim().toLowerCase(), verdict = field.verdict.value, only = field.problems.checked;
    const wanted = heads.map(({dataset}) => (!field.implementation.value || dataset.implementation === field.implementation.value)
      && (!field.quantity.value || dataset.name === field.quantity.value));
    const matches = ({classList}) => (verdict ? classList.contains(verdict) : !classList.contains("not-run"))
      && (!only || classList.contains("discrepancy") || classList.contains("failed"));
    const rows = [...table.tBodies[0].rows].map(row => {
      const named = row.cells[0].textContent.toLowerCase().includes(text), cells = [...row.cells].slice(FIXED);
      const hits = cells.map((cell, k) => named && wanted[k] && matches(cell));
      row.hidden = !hits.includes(true);
      return {row, cells, hits};
    });
    // Columns without a hit only stand in the way when problems are looked for.
    const shown = wanted.map((is, k) => is && (!(verdict || only) || rows.some(({hits}) => hits[k])));
    for (const {cells, hits} of rows) cells.forEach((cell, k) => {
      cell.hidden = !shown[k];
      cell.classList.toggle("dim", !hits[k] && !cell.classList.contains("not-run"));
    });
    heads.forEach((head, k) => { head.hidden = !shown[k]; });
    for (const group of groups) {
      const visible = heads.filter(({dataset}, k) => shown[k] && dataset.implementation === group.dataset.group).length;
      group.hidden = !visible;
      group.colSpan = visible || 1;
    }
    table.closest(".about").hidden = rows.every(({row}) => row.hidden);
    return rows;
  };
  const apply = () => {
    const rows = tables.flatMap(filter), count = rows.flatMap(({hits}) => hits).filter(Boolean).length;
    const seen = new Set(rows.map(({row}) => row.cells[0].textContent));
    const left = new Set(rows.filter(({row}) => !row.hidden).map(({row}) => row.cells[0].textContent));
    output.textContent = `${count} ${count === 1 ? "cell" : "cells"} in ${left.size} of ${seen.size} mechanisms`;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", event => event.preventDefault());
  apply();
}

// The matrix is one stop for the Tab key; arrow keys move from cell to cell.
function roving(table) {
  const links = $$("td a", table);
  links.forEach((link, k) => { link.tabIndex = k ? -1 : 0; });
  table.addEventListener("focusin", event => {
    if (!event.target.matches("td a")) return;
    for (const link of $$("a[tabindex='0']", table)) link.tabIndex = -1;
    event.target.tabIndex = 0;
  });
  table.addEventListener("keydown", event => {
    const step = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key];
    const cell = event.target.closest("td");
    if (!step || !cell) return;
    event.preventDefault();
    const rows = [...table.tBodies[0].rows];
    let r = rows.indexOf(cell.parentElement), c = cell.cellIndex, next = null;
    do { r += step[0]; c += step[1]; next = rows[r]?.cells[c]; } while (next && (next.closest("[hidden]") || !$("a", next)));
    if (next) $("a", next).focus();
  });
}

$$(".matrix").forEach(sortable);
if ($(".filters")) {
  filterable($$(".comparisons"), $(".filters"));
  $$(".comparisons").forEach(roving);
}
copies(document);
show();
