"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const findings = data.findings.map((finding, number) => ({ ...finding, number }));
const entries = data.entries || [];
const files = new Map(data.files.map((file) => [file.path, file]));
const SHOWN_AT_ONCE = 500; // entries of an index; more come when they are asked for

const main = document.getElementById("main");
const index = document.getElementById("index");
const filter = document.getElementById("filter");
const state = { tab: "files", path: null, finding: -1 };

/** An element with attributes and children; texts become text nodes, so that nothing of the user's is markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A text with what stands between backquotes as code. */
function prose(text) {
  return text.split(/`([^`]*)`/).map((part, i) => (i % 2 ? make("code", {}, part) : part));
}

function place(at) {
  const cell = at.cell ? `cell ${at.cell}:` : "";
  return `${at.path}:${cell}${at.line}`;
}

function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function grouped(items, key) {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

// --- the index ---------------------------------------------------------------------------------------------------

function matching() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  return findings.filter((finding) => {
    const text = `${finding.path} ${finding.code} ${finding.name} ${finding.severity} ${finding.message}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** A list of buttons, the first ones at once. */
function list(items, button) {
  const made = make("ul");
  const more = (from) => {
    made.append(...items.slice(from, from + SHOWN_AT_ONCE).map((item) => make("li", {}, button(item))));
    const left = items.length - from - SHOWN_AT_ONCE;
    if (left > 0) {
      const item = make("li", {}, make("button", { onclick: () => { item.remove(); more(from + SHOWN_AT_ONCE); } }, `${left} more …`));
      made.append(item);
    }
  };
  more(0);
  return made;
}

function fileButton([path, here]) {
  return make(
    "button",
    { "data-path": path, "aria-current": String(path === state.path), onclick: () => (here.length ? select(here[0].number) : open(path)) },
    path,
    make("span", { class: "count" }, String(here.length)),
  );
}

function findingButton(finding) {
  return make(
    "button",
    { "data-finding": String(finding.number), "aria-current": String(finding.number === state.finding), onclick: () => select(finding.number) },
    place(finding),
    make("small", {}, finding.message),
  );
}

function entryButton(entry) {
  const device = entry.devices.find((each) => each.status === "compiled");
  const cost = device && device.peak_memory !== null ? `, ${bytes(device.peak_memory)}` : "";
  return make(
    "button",
    { onclick: () => showEntry(entry) },
    make("span", { class: `tag ${entry.status}` }, entry.status),
    entry.name,
    make("small", {}, `${place(entry)}${entry.equations ? `, ${plural(entry.equations, "equation")}` : ""}${cost}`),
  );
}

function fill() {
  const found = matching();
  for (const name of ["files", "rules", "entries"]) {
    document.getElementById(`tab-${name}`).setAttribute("aria-selected", String(name === state.tab));
  }
  index.setAttribute("aria-labelledby", `tab-${state.tab}`);
  if (state.tab === "files") {
    const here = grouped(found, (each) => each.path);
    const words = filter.value.toLowerCase();
    const others = data.files.map((file) => file.path).filter((path) => !here.has(path) && path.toLowerCase().includes(words));
    index.replaceChildren(list([...here, ...others.map((path) => [path, []])], fileButton));
  } else if (state.tab === "rules") {
    const rules = [...grouped(found, (each) => `${each.code} ${each.name}`)].sort();
    index.replaceChildren(...rules.map(([rule, here]) => {
      const details = make("details", {}, make("summary", {}, rule, make("span", { class: "count" }, String(here.length))));
      details.addEventListener("toggle", () => details.childElementCount === 1 && details.append(list(here, findingButton)));
      return details;
    }));
  } else {
    const words = filter.value.toLowerCase();
    const shown = entries.filter((entry) => `${entry.path} ${entry.name}`.toLowerCase().includes(words));
    index.replaceChildren(shown.length ? list(shown, entryButton) : make("p", {}, "Entry points are here after --verify=all."));
  }
}

// --- a file ------------------------------------------------------------------------------------------------------

/** A line's text with its names in the colours of their stages, and findings underlined. */
function coloured(text, names, marks) {
  const cuts = new Set([0, text.length]);
  for (const [from, to] of [...names, ...marks]) cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length));
  const at = [...cuts].sort((a, b) => a - b);
  return at.slice(0, -1).map((from, i) => {
    const name = names.find(([start, end]) => start <= from && from < end);
    const marked = marks.some(([start, end]) => start <= from && from < end);
    const piece = text.slice(from, at[i + 1]);
    if (!name && !marked) return piece;
    const classes = [name && data.stages[name[2]], marked && "marked"].filter(Boolean).join(" ");
    return make("span", { class: classes, title: name ? data.stages[name[2]] : null }, piece);
  });
}

const rowId = (cell, line) => `L${cell ? `${cell}-` : ""}${line}`;

function cellRows(file, part, here) {
  const names = grouped(part.names, (name) => name[0]);
  const hits = grouped(here.filter((each) => (each.cell || null) === part.cell), (each) => each.line);
  const rows = part.cell ? [make("h3", {}, `cell ${part.cell}`)] : [];
  part.lines.forEach((text, i) => {
    const line = i + 1;
    const found = hits.get(line) || [];
    const marks = found.map((each) => [each.column - 1, each.end_line === line ? each.end_column - 1 : text.length]);
    const inside = (names.get(line) || []).map(([, from, to, stage]) => [from - 1, to - 1, stage]);
    const id = rowId(part.cell, line);
    rows.push(make("div", { class: found.length ? "row hit" : "row", id }, make("a", { href: `#${id}`, tabindex: "-1" }, String(line)), make("code", {}, ...coloured(text, inside, marks))));
    rows.push(...found.map(card));
  });
  return rows;
}

function card(finding) {
  const steps = finding.flow.map((step) =>
    make("li", {}, make("a", { href: "#", onclick: (event) => { event.preventDefault(); goTo(step); } }, step.path === finding.path && !step.cell ? `line ${step.line}` : place(step)), " ", ...prose(step.note)));
  const verdicts = finding.verdicts || (finding.verdict ? [finding.verdict] : []);
  return make(
    "section",
    { class: `finding ${finding.severity}`, id: `finding-${finding.number}`, tabindex: "0", "aria-label": `${finding.code} at line ${finding.line}`, onfocus: () => { if (state.finding !== finding.number) mark(finding); } },
    make("p", {}, make("span", { class: `tag ${finding.severity}` }, `${finding.code} ${finding.name}`), ...prose(finding.message), finding.confidence === "certain" ? null : ` [${finding.confidence}]`),
    steps.length ? make("ol", { "aria-label": "Flow of the value" }, ...steps) : null,
    ...verdicts.map((verdict) => make("p", {}, make("span", { class: `tag ${verdict.status}` }, verdict.status), ...prose(verdict.reason), ` (${verdict.device}${verdict.jax ? `, jax ${verdict.jax}` : ""})`)),
    finding.fix ? make("p", {}, make("span", { class: "tag" }, "fix"), ...prose(finding.fix.message)) : null,
  );
}

function open(path) {
  const file = files.get(path);
  if (!file || state.path === path) return;
  state.path = path;
  const here = findings.filter((each) => each.path === path);
  const code = make("div", { class: "code" }, ...file.cells.flatMap((part) => cellRows(file, part, here)));
  main.replaceChildren(make("h2", {}, path), code);
  showCurrent();
}

/** Marks what is open in the index. */
function showCurrent() {
  for (const button of index.querySelectorAll("button[data-path], button[data-finding]")) {
    const current = button.dataset.path === state.path || button.dataset.finding === String(state.finding);
    button.setAttribute("aria-current", String(current));
  }
}

/** Opens the file of a place and brings its line into view. */
function goTo(at) {
  open(at.path);
  const row = document.getElementById(rowId(at.cell || null, at.line));
  if (row) row.scrollIntoView({ block: "center" });
}

/** Marks the steps of a finding's flow that are in the open file, and draws lines between them. */
function mark(finding) {
  state.finding = finding.number;
  const code = main.querySelector(".code");
  code.querySelectorAll(".row.step").forEach((row) => row.classList.remove("step"));
  code.querySelectorAll("svg.flow").forEach((drawn) => drawn.remove());
  const points = [];
  finding.flow.forEach((step, i) => {
    const row = step.path === finding.path && document.getElementById(rowId(step.cell || null, step.line));
    if (!row) return;
    row.classList.add("step");
    points.push({ y: row.offsetTop + 10, number: i + 1 });
  });
  if (points.length) code.append(drawing(points));
}

function drawing(points) {
  const svg = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const drawn = svg("svg", { class: "flow", "aria-hidden": "true" });
  points.slice(1).forEach((point, i) => {
    const from = points[i];
    drawn.append(svg("path", { d: `M 12 ${from.y} C 2 ${from.y}, 2 ${point.y}, 12 ${point.y}` }));
  });
  const rows = grouped(points, (point) => point.y);
  for (const [y, here] of rows) {
    const label = svg("text", { x: 12, y });
    label.textContent = String(here[here.length - 1].number);
    drawn.append(svg("circle", { cx: 12, cy: y, r: 7 }), label);
  }
  return drawn;
}

function select(number) {
  const finding = findings[number];
  open(finding.path);
  const section = document.getElementById(`finding-${number}`);
  mark(finding);
  section.scrollIntoView({ block: "center" });
  section.focus({ preventScroll: true });
  history.replaceState(null, "", `#finding-${number}`);
  showCurrent();
}

// --- an entry point ----------------------------------------------------------------------------------------------

function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) { count /= 1024; unit += 1; }
  return `${unit && count < 100 ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}

function showEntry(entry) {
  state.path = null;
  const number = (value, shown = String) => (value === null || value === undefined ? "" : shown(value));
  const row = (device) => make("tr", {}, ...[
    device.device, device.status, number(device.peak_memory, bytes), number(device.memory.temporary, bytes),
    number(device.flops, (flops) => flops.toLocaleString("en")), number(device.seconds.compile, (seconds) => `${seconds.toFixed(2)} s`), device.reason,
  ].map((text) => make("td", {}, text)));
  const heads = ["device", "", "memory", "of it temporary", "flops", "compiled in", ""];
  main.replaceChildren(
    make("h2", {}, entry.name),
    make("section", { class: "entry" },
      make("p", {}, make("span", { class: `tag ${entry.status}` }, entry.status), entry.reason),
      make("p", {}, make("a", { href: "#", onclick: (event) => { event.preventDefault(); goTo(entry); } }, place(entry)), ` ${entry.transform}`),
      entry.inputs.length ? make("p", {}, "Inputs: ", make("code", {}, entry.inputs.join(", "))) : null,
      entry.equations === null ? null : make("p", {}, `${plural(entry.equations, "equation")}, ${bytes(entry.constants || 0)} of constants${entry.compared ? `; results with and without jit: ${entry.compared}` : ""}`),
      entry.devices.length ? make("table", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text))), ...entry.devices.map(row)) : null,
    ),
  );
  main.focus();
}

// --- the page ----------------------------------------------------------------------------------------------------

function step(by) {
  const shown = matching();
  if (!shown.length) return;
  const at = shown.findIndex((each) => each.number === state.finding);
  select(shown[at < 0 ? 0 : Math.min(Math.max(at + by, 0), shown.length - 1)].number);
}

document.addEventListener("keydown", (event) => {
  const typing = event.target === filter;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing && event.key === "Escape") main.focus();
  else if (typing) return;
  else if (event.key === "/") { event.preventDefault(); filter.focus(); }
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
});
const tabs = ["files", "rules", "entries"];
for (const name of tabs) {
  const tab = document.getElementById(`tab-${name}`);
  tab.addEventListener("click", () => { state.tab = name; fill(); });
  tab.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) document.getElementById(`tab-${tabs[(tabs.indexOf(name) + by + tabs.length) % tabs.length]}`).focus();
  });
}
filter.addEventListener("input", fill);

function summary() {
  const verdicts = Object.entries(data.summary.by_verdict).map(([status, count]) => `${count} ${status}`);
  const severities = Object.entries(data.summary.by_severity).map(([severity, count]) => `${count} ${severity}`);
  const parts = [plural(findings.length, "finding"), ...severities, ...verdicts];
  if (entries.length) parts.push(plural(entries.length, "entry point"));
  return parts.join(", ") + ` (${plural(data.summary.files, "file")}, jitlint ${data.tool.version})`;
}

document.getElementById("summary").textContent = summary();
if (data.errors.length) {
  const said = data.errors.map((error) => make("li", {}, `${error.path}: ${error.message}`));
  const details = make("details", {}, make("summary", {}, plural(data.errors.length, "error")), make("ul", {}, ...said));
  document.getElementById("problems").append(details);
}
fill();
const asked = /^#finding-(\d+)$/.exec(location.hash);
if (asked && findings[Number(asked[1])]) select(Number(asked[1]));
else if (findings.length) open(findings[0].path);
else if (entries.length) { state.tab = "entries"; fill(); showEntry(entries[0]); }
else main.replaceChildren(make("p", {}, "No findings."));
