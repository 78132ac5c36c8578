// One cell in full.

const dialog = $("#cell");

function fill(cell) {
  const body = $("#details").content.cloneNode(true), mechanism = cell.mechanism, worst = cell.worst;
  const slot = name => $(`[data-slot=${name}]`, body), part = name => $(`[data-part=${name}]`, body);
  const rate = cell.quantity.group ? cell.verdict.word : cell.verdict.holds;
  slot("verdict").className = `verdict ${cell.verdict.style}`;
  slot("verdict").textContent = `${cell.verdict.sign} ${rate}`;
  slot("units").textContent = cell.error === null ? "" : `${units(cell.error)} ε-units at most; the bar is ${data.bar}`;
  for (const name of ["message", "pattern", "command"]) slot(name).textContent = cell[name];
  const causes = data.entries.get(cell.k) ?? [];
  if (causes.length) {
    slot("cause").textContent = causes[0].sentence;
    slot("cause").href = `#${encodeURIComponent(`cause-${encodeURIComponent(causes[0].key)}`)}`;
    slot("cause").dataset.cause = causes[0].key;
  } else part("cause").remove();
  if (cell.output) slot("output").textContent = cell.output;
  else part("output").remove();
  const others = data.cells.filter(other => other.mechanism === mechanism && other.quantity === cell.quantity);
  if (others.length > 1) slot("others").append(sideBySide(cell, others));
  else part("others").remove();
  if (cell.heat.length) drawHeat(cell, slot);
  else part("heat").remove();
  drawStates(cell, slot, part);
  if (!cell.heat.length && cell.coordinates.length && cell.coordinates.length === mechanism.v.length) {
    const rows = cell.coordinates.map((error, k) => ({name: mechanism.v[k], points: [{error, text: `${mechanism.v[k]}: ${units(error)} ε-units`}]}));
    slot("coordinates").append(strip(rows, "Largest error of every coordinate", true));
  } else part("coordinates").remove();
  if (!worst) part("worst").remove();
  else {
    for (const name of ["state", "kind", "coordinate", "got", "expected", "magnitude"]) slot(name).textContent = full(worst[name]);
    if (cell.quantity.name !== "forward_dynamics") part("backward").remove();
    part("elsewhere").hidden = Boolean(worst.inputs);
    const names = {q: mechanism.q, f: (worst.inputs?.f ?? []).map((_, k) => mechanism.bodies[k] ?? `body ${k}`)};
    for (const [name, values] of Object.entries(worst.inputs || {})) slot("inputs").append(inputs(name, values, names[name] ?? mechanism.v));
  }
  return body;
}

function drawStates(cell, slot, part) {
  const mechanism = cell.mechanism;
  if (cell.errors.length) {
    const rows = new Map();
    cell.errors.forEach((error, k) => {
      const kind = data.kinds[mechanism.kinds[k]] ?? "";
      if (!rows.has(kind)) rows.set(kind, []);
      rows.get(kind).push({error, text: `State ${cell.numbers?.[k] ?? k}, ${kind}: ${units(error)} ε-units`});
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
}

// Joints (or bodies) × kinds of states.
function drawHeat(cell, slot) {
  const bodies = cell.quantity.axis === "bodies", names = bodies ? cell.mechanism.bodies : cell.mechanism.v;
  slot("heat-title").textContent = bodies ? "By body and kind of state" : "By coordinate and kind of state";
  const table = make("table", {class: "squares heat"}), heads = table.createTHead().insertRow(), body = table.createTBody();
  heads.append(make("th", {scope: "col"}, bodies ? "Body" : "Coordinate"));
  for (const {kind} of cell.heat) heads.append(make("th", {scope: "col", class: "tall"}, make("span", {}, kind)));
  for (let k = 0; k < cell.heat[0].errors.length; k += 1) {
    const row = body.insertRow();
    row.append(make("th", {scope: "row", dir: "auto"}, names[k] ?? `${k}`));
    for (const {kind, errors} of cell.heat) {
      const error = errors[k] ?? 0, text = `${names[k] ?? k}, ${kind}: ${units(error)} ε-units`;
      row.append(make("td", {class: `${error > data.bar ? "discrepancy" : "agrees"} h${level(error)}`, title: text}, make("span", {class: "heard"}, units(error))));
    }
  }
  slot("heat").append(table);
}

// Two answers are the same wrong number if they are as close as correct ones would be.
function same(a, b) {
  const [x, y] = [a.worst, b.worst], rounding = cell => Math.abs(cell.worst.got - cell.worst.expected) / cell.error;
  return Boolean(x && y && a.error > data.bar && b.error > data.bar && x.state === y.state && x.coordinate === y.coordinate
    && Math.abs(x.got - y.got) <= data.bar * Math.max(rounding(a), rounding(b)));
}

function sideBySide(cell, others) {
  const table = make("table", {class: "list"}), heads = table.createTHead().insertRow(), body = table.createTBody();
  for (const name of ["Implementation", "Verdict", "ε-units", "Got, where it is worst", "Same wrong number as"]) heads.append(make("th", {scope: "col"}, name));
  for (const other of others) {
    const twins = others.filter(one => one !== other && same(one, other)).map(one => one.implementation.name);
    const row = body.insertRow(), name = make("bdi", {}, other.implementation.name);
    row.append(make("th", {scope: "row"}, other === cell ? make("b", {}, name) : make("a", {href: `#${encodeURIComponent(other.id)}`, "aria-label": words(other)}, name)));
    const verdict = make("span", {class: `verdict ${other.verdict.style}`}, `${other.verdict.sign} ${other.quantity.group ? other.verdict.word : other.verdict.holds}`);
    row.append(make("td", {}, verdict), make("td", {class: "number"}, other.error === null ? "" : units(other.error)));
    const bad = other.worst && other.error > data.bar;
    const got = bad ? `${full(other.worst.got)} at state ${other.worst.state}${other.worst.coordinate ? `, ${other.worst.coordinate}` : ""}` : "";
    row.append(make("td", {}, got), make("td", {class: twins.length ? "wrong" : ""}, twins.join(", ")));
  }
  return table;
}

function inputs(name, values, names) {
  const table = make("table", {});
  table.createCaption().textContent = name;
  values.forEach((value, k) => {
    const row = table.insertRow();
    row.append(make("th", {scope: "row", dir: "auto"}, names[k] ?? ""));
    row.insertCell().textContent = [value].flat().join("  ");
  });
  return table;
}

function showCell(cell) {
  const what = cell.quantity.group ? cell.quantity.title : cell.quantity.name;
  $("#cell-title").textContent = `${cell.mechanism.name} · ${cell.implementation.name} · ${what}`;
  $(".body", dialog).replaceChildren(fill(cell));
  copies(dialog);
  const list = order.includes(cell) ? order : data.cells;
  for (const button of $$("[data-turn]", dialog)) {
    const next = list[list.indexOf(cell) + Number(button.dataset.turn)];
    button.disabled = !next;
    button.onclick = () => { history.replaceState(history.state, "", hashOf(next.id)); view.target = next.id; show(); button.focus(); };
  }
  if (!dialog.open) { dialog.showModal(); $("#cell-title").focus(); }
  dialog.scrollTop = 0;
}

dialog.addEventListener("close", () => {
  if (dialog.dataset.closing) { delete dialog.dataset.closing; return; }
  if (history.state?.opened) history.back();
  else { view.target = ""; keep(); }
});
dialog.addEventListener("click", event => {
  if (event.target === dialog || event.target.closest(".close")) dialog.close();
});
