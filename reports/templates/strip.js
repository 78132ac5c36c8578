// Strip plots: rows of points on one logarithmic axis of ε-units, with the bar drawn in. Horizontal places are percentages, so
// that the picture fits any width and its text keeps its size.

const ROW = 22, LEAST = -2;

function draw(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function tick(decade) {
  if (Math.abs(decade) <= 2) return String(Number(`1e${decade}`));
  return "10" + [...String(decade)].map(c => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("");
}

function strip(rows, label, stems) {
  const errors = rows.flatMap(row => row.points.map(point => point.error)), infinite = errors.some(x => x >= INFINITE);
  const largest = errors.filter(x => x < INFINITE).reduce((a, b) => Math.max(a, b), data.bar), height = ROW * rows.length;
  const most = Math.max(2, Math.floor(Math.log10(largest)) + 1) + infinite;
  const place = error => {
    const decade = error >= INFINITE ? most : error > 0 ? Math.log10(error) : LEAST;
    return `${(100 * (Math.min(Math.max(decade, LEAST), most) - LEAST) / (most - LEAST)).toFixed(1)}%`;
  };
  const svg = draw("svg", {width: "100%", height: height + 20}), step = Math.ceil((most - LEAST) / 5), bar = place(data.bar);
  const taken = infinite ? [Math.log10(data.bar), most] : [Math.log10(data.bar)];
  const mark = (x, text) => svg.append(draw("line", {class: "grid", x1: x, x2: x, y2: height}), draw("text", {class: "tick", x, y: height + 15}, text));
  for (let decade = LEAST; decade <= most; decade += 1) {
    const room = taken.every(other => Math.abs(decade - other) >= (most - LEAST) / 12);
    if (decade % step === 0 && room) mark(place(Number(`1e${decade}`)), tick(decade));
  }
  if (infinite) mark(place(INFINITE), "∞");
  svg.append(draw("line", {class: "bar", x1: bar, x2: bar, y2: height}));
  svg.append(draw("text", {class: "tick at-bar", x: bar, y: height + 15}, units(data.bar)));
  const tallest = Math.log1p(rows.flatMap(row => row.points).reduce((most, point) => Math.max(most, point.number ?? 1), 1));
  rows.forEach((row, k) => {
    const y = ROW * k + ROW / 2, g = draw("g", {role: "group", "aria-label": row.name});
    row.points.forEach((point, i) => {
      const x = place(point.error), over = point.error <= data.bar ? "" : "over";
      if (stems) g.append(draw("line", {class: over, x2: x, y1: y, y2: y}));
      const foot = ROW * (k + 1) - 2, top = foot - 2 - Math.round((ROW - 6) * Math.log1p(point.number) / tallest);
      const dot = point.number ? draw("line", {class: over, x1: x, x2: x, y1: foot, y2: top}, draw("title", {}, point.text))
        : draw("circle", {class: over, cx: x, cy: stems ? y : y + i * 7 % 13 - 6}, draw("title", {}, point.text));
      dot.dataset.text = point.text;
      g.append(dot);
    });
    svg.append(g);
  });
  const figure = document.createElement("div");
  figure.className = "strip";
  figure.setAttribute("role", "group");
  figure.setAttribute("aria-label", label);
  figure.append(column(rows.map(row => row.name)), svg);
  if (stems) figure.append(column(rows.map(row => units(row.points[0].error))));
  return figure;
}

function column(texts) {
  const lines = texts.map(text => {
    const line = document.createElement("span");
    line.dir = "auto";
    line.textContent = line.title = text;
    return line;
  });
  const node = document.createElement("div");
  node.append(...lines);
  return node;
}

// A row of states takes the focus; arrow keys walk along its points.
function walkable(figure, output, noun = "states") {
  const point = dot => {
    $(".at", figure)?.classList.remove("at");
    dot.classList.add("at");
    output.textContent = dot.dataset.text;
  };
  for (const g of $$("g", figure)) {
    const dots = $$("[data-text]", g), name = g.getAttribute("aria-label");
    let at = -1;
    g.setAttribute("tabindex", "0");
    g.setAttribute("aria-label", `${name}: ${dots.length} ${noun}; arrow keys go from one to the next`);
    g.addEventListener("keydown", event => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) return;
      event.preventDefault();
      at = (Math.max(at, step < 0 ? 0 : -1) + step + dots.length) % dots.length;
      point(dots[at]);
    });
  }
  figure.addEventListener("pointerover", event => event.target.dataset.text && point(event.target));
}
