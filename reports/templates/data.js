"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const INFINITE = 1e99;
let data = null;

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class" || name === "colspan" || name === "scope" || name === "href" || name.includes("-")) node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);
  return node;
}

// The error that a byte of reports/embedded.py stands for.
function errorOf(byte) {
  return byte === 255 ? INFINITE : byte === 0 ? 0 : 10 ** ((byte - 1) / 12 - 2);
}

async function load() {
  const packed = Uint8Array.from(atob($("#data").textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer()), end = bytes.indexOf(0);
  const found = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  let at = end + 1;
  const take = n => Array.from(bytes.subarray(at, at += n), errorOf);
  const text = k => found.texts[k ?? 0];
  found.verdicts = found.verdicts.map(([name, word, holds, sign, style]) => ({name, word, holds, sign, style}));
  found.implementations = found.implementations.map(([name, version, own], k) => ({name, version, own: Boolean(own), k}));
  found.quantities = found.quantities.map(([name, title, symbol, group, axis], k) => ({name, title, symbol, group, axis, k}));
  found.mechanisms.forEach((mechanism, k) => { mechanism.k = k; });
  found.cells = found.cells.map((row, k) => {
    const [m, i, q, v, error, message, command, pattern, output, spread, states = 0, coordinates = 0, heat = [], worst, bins, numbers] = row;
    const mechanism = found.mechanisms[m], implementation = found.implementations[i], quantity = found.quantities[q];
    return {
      k, mechanism, implementation, quantity, verdict: found.verdicts[v], error,
      id: `${mechanism.name}/${implementation.name}/${quantity.name}`,
      message: text(message), command: text(command), pattern: text(pattern), output: text(output), spread: text(spread),
      errors: take(states), coordinates: take(coordinates),
      heat: heat.map(([kind, n]) => ({kind: found.kinds[kind], errors: take(n)})),
      worst: worst ? Object.fromEntries(["state", "kind", "coordinate", "got", "expected", "magnitude", "inputs"].map((name, j) => [name, worst[j]])) : null,
      histogram: bins || null, numbers: numbers || null,
    };
  });
  found.byId = new Map(found.cells.map(cell => [cell.id, cell]));
  found.pages = new Map(found.mechanisms.map(mechanism => [`page:${mechanism.name}`, mechanism]));
  found.entries = new Map();
  for (const [key, sentence, cells] of found.fragments.entries) for (const k of cells) found.entries.set(k, [...(found.entries.get(k) ?? []), {key, sentence}]);
  return found;
}

function units(x) {
  if (x === null) return "–";
  if (x >= INFINITE) return "∞";
  if (x === 0) return "0";
  if (x < 0.01) return "<0.01";
  if (x < 0.095) return x.toFixed(2);
  if (x < 9.95) return x.toFixed(1);
  if (x < 999.5) return x.toFixed(0);
  return x.toExponential(1).replace("e+", "e");
}

function full(value) {
  if (value === "") return "–";
  return Math.abs(value) >= INFINITE ? (value > 0 ? "∞" : "−∞") : value;
}

// reports/heat.py
function level(error) {
  if (error === null || error < 1) return 0;
  return error <= data.bar ? 1 : 2 + [1e3, 1e6, 1e9].filter(limit => error > limit).length;
}

const GRAVITY = ["failed", "discrepancy", "known", "lost digits", "agrees", "unsupported", "not offered"];

// The cell that stands for several: the gravest, and of these the worst.
function gravest(cells) {
  const rank = cell => GRAVITY.indexOf(cell.verdict.name);
  return cells.reduce((a, b) => !a || rank(b) < rank(a) || (rank(b) === rank(a) && (b.error ?? -1) > (a.error ?? -1)) ? b : a, null);
}

function words(cell) {
  const verdict = cell.quantity.group ? cell.verdict.word : cell.verdict.holds;
  const what = cell.quantity.group ? cell.quantity.title : `${cell.quantity.name}, an invariant`;
  return `${cell.mechanism.name}, ${cell.implementation.name}, ${what}: ${verdict}${cell.error === null ? "" : `, ${units(cell.error)} ε-units`}`;
}
