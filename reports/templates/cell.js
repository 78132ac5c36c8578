// One cell in full.

const dialog = $("#cell");

function fill(cell) {
  const body = $("#details").content.cloneNode(true), mechanism = data.mechanisms[cell.mechanism], worst = cell.worst;
  const slot = name => $(`[data-slot=${name}]`, body), part = name => $(`[data-part=${name}]`, body);
  const [word, sign, style] = data.verdicts[cell.verdict];
  slot("verdict").className = `verdict ${style}`;
  slot("verdict").textContent = `${sign} ${word}`;
  slot("units").textContent = cell.error === null ? "" : `${units(cell.error)} ε-units at most; the bar is ${data.bar}`;
  for (const name of ["message", "pattern", "command"]) slot(name).textContent = cell[name];
  if (cell.output) slot("output").textContent = cell.output;
  else part("output").remove();
  if (cell.errors.length) {
    const rows = new Map();
    cell.errors.forEach((error, k) => {
      const kind = data.kinds[mechanism.kinds[k]] ?? "";
      if (!rows.has(kind)) rows.set(kind, []);
      rows.get(kind).push({error, text: `State ${k}, ${kind}: ${units(error)} ε-units`});
    });
    const figure = strip([...rows].map(([name, points]) => ({name, points})), `Errors of ${cell.errors.length} states`, false);
    walkable(figure, slot("pointed"));
    slot("states").append(figure);
  } else if (cell.histogram) {
    const rows = Object.entries(cell.histogram).map(([kind, bins]) => ({name: kind, points: bins.map(([k, number]) => {
      const error = 10 ** (k / 10);
      return {error, number, text: `${number} states, ${kind}: ${units(error)} to ${units(10 ** ((k + 1) / 10))} ε-units`};
    })}));
    const figure = strip(rows, cell.spread, false);
    walkable(figure, slot("pointed"), "sizes of error");
    slot("states").append(figure);
    slot("spread").textContent = cell.spread;
  } else part("states").remove();
  if (cell.coordinates.length && cell.coordinates.length === mechanism.v.length) {
    const rows = cell.coordinates.map((error, k) => ({name: mechanism.v[k], points: [{error, text: `${mechanism.v[k]}: ${units(error)} ε-units`}]}));
    slot("coordinates").append(strip(rows, "Largest error of every coordinate", true));
  } else part("coordinates").remove();
  if (!worst) part("worst").remove();
  else {
    for (const name of ["state", "kind", "coordinate", "got", "expected", "magnitude"]) slot(name).textContent = full(worst[name]);
    if (cell.quantity !== "forward_dynamics") part("backward").remove();
    part("elsewhere").hidden = Boolean(worst.inputs);
    for (const [name, values] of Object.entries(worst.inputs ?? {})) slot("inputs").append(inputs(name, values, mechanism[name] ?? (name === "f" ? values.map((_, k) => `body ${k}`) : mechanism.v)));
  }
  return body;
}

function inputs(name, values, names) {
  const table = document.createElement("table");
  table.createCaption().textContent = name;
  values.forEach((value, k) => {
    const row = table.insertRow(), head = document.createElement("th");
    head.scope = "row";
    head.dir = "auto";
    head.textContent = names[k];
    row.append(head);
    row.insertCell().textContent = [value].flat().join("  ");
  });
  return table;
}

function decoded() {
  try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
}

function show() {
  const cell = cells.get(decoded());
  if (!cell) { if (dialog.open) dialog.close(); return; }
  const title = data.quantities[cell.quantity];
  $("#cell-title").textContent = `${cell.mechanism} · ${cell.implementation} · ${title}`;
  $(".body", dialog).replaceChildren(fill(cell));
  copies(dialog);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

addEventListener("hashchange", show);
addEventListener("popstate", show);
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  let id = "";
  try { id = decodeURIComponent(link.hash.slice(1)); } catch { /* not ours */ }
  if (!cells.has(id)) return;
  event.preventDefault(); // the page behind does not scroll
  history.pushState({opened: true}, "", link.hash);
  show();
});
dialog.addEventListener("close", () => {
  if (!cells.has(decoded())) return;
  if (history.state?.opened) history.back();
  else history.replaceState(null, "", location.pathname + location.search);
});
dialog.addEventListener("click", event => {
  if (event.target === dialog || event.target.closest(".close")) dialog.close();
});

function copies(root) {
  for (const button of $$(".copy", root)) {
    button.hidden = !navigator.clipboard;
    button.onclick = async () => {
      await navigator.clipboard.writeText($("code", button.parentElement).textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    };
  }
}
