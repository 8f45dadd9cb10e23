// What the model looked at while it wrote a step: a share for each proposition, and a heat map token by token.

import { call } from "./api.js";
import { $, formula, make } from "./dom.js";

const dialog = $("#attention"), layer = $(".layer", dialog), head = $(".head-choice", dialog), row = $(".row-choice", dialog), heat = $(".heat", dialog);
const FIELDS = { 2: "known", 3: "goal", 4: "also known", 5: "hint" };
const CELL = 15, LEFT = 104, TOP = 104;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = (token) => (token.includes(".") && token.length > 1 ? token.slice(token.lastIndexOf(".") + 1) || token : token);

let asked = null, data = null, serial = 0;

export async function openAttention(question, step) {
  asked = { ...question, answer: step.text };
  data = null;
  $(".formula", dialog).replaceWith(formula(step));
  layer.replaceChildren(new Option("all, mean", ""));
  head.replaceChildren(new Option("all, mean", ""));
  row.replaceChildren(new Option("the whole step", ""));
  $(".shares", dialog).replaceChildren();
  heat.width = heat.height = 0;
  if (!dialog.open) dialog.showModal();
  await load();
}

async function load() {
  const mine = ++serial, note = $(".note", dialog);
  note.textContent = "reading …";
  try {
    const number = (select) => (select.value === "" ? null : Number(select.value));
    const answer = await call("/attention", { ...asked, layer: number(layer), head: number(head) });
    if (mine !== serial) return;
    const first = data === null;
    data = answer;
    if (first) {
      layer.append(...Array.from({ length: data.layers }, (_, i) => new Option(`${i + 1} of ${data.layers}`, i)));
      head.append(...Array.from({ length: data.heads }, (_, i) => new Option(`${i + 1} of ${data.heads}`, i)));
      row.append(...data.written.map((token, i) => new Option(`${i + 1}  ${short(token)}`, i)));
    }
    note.textContent = "Attention from the tokens that are written to those that are read, 0 to 1. It shows where information was fetched, not why.";
    draw();
  } catch (error) {
    if (mine === serial) note.textContent = `${error.title ?? "That did not work"}: ${error.message}`;
  }
}

function shares() {
  const rows = row.value === "" ? data.by_proposition : [data.by_proposition[Number(row.value)]];
  return data.propositions.map((_, j) => rows.reduce((sum, each) => sum + each[j], 0) / rows.length);
}

function draw() {
  if (!data) return;
  const share = shares();
  $(".shares", dialog).replaceChildren(...data.propositions.map((each, j) => make("li", {},
    make("span", { class: "label" }, FIELDS[each.field] ?? `F.${each.field}`),
    make("span", { class: "bar-of", style: `--field:var(--s${each.field - 2});--share:${(100 * share[j]).toFixed(1)}%` }, each.text),
    make("span", { class: "value" }, `${Math.round(100 * share[j])} %`))));

  const ratio = Math.min(2, devicePixelRatio || 1), columns = data.source, rows = data.written, chosen = row.value === "" ? -1 : Number(row.value);
  const width = LEFT + columns.length * CELL + 6, height = TOP + rows.length * CELL + 6;
  heat.width = width * ratio;
  heat.height = height * ratio;
  heat.style.width = `${width}px`;
  heat.style.height = `${height}px`;
  const pen = heat.getContext("2d"), ink = colour("--ink"), soft = colour("--soft");
  pen.scale(ratio, ratio);
  pen.font = "11px system-ui, sans-serif";
  const fieldOf = (j) => data.propositions.find((each) => each.start <= j && j < each.end)?.field;
  pen.textAlign = "right";
  rows.forEach((token, i) => {
    pen.fillStyle = i === chosen ? ink : soft;
    pen.fillText(short(token).slice(0, 16), LEFT - 6, TOP + i * CELL + 11);
  });
  pen.textAlign = "left";
  columns.forEach((token, j) => {
    const field = fieldOf(j);
    pen.save();
    pen.translate(LEFT + j * CELL + 11, TOP - 8);
    pen.rotate(-Math.PI / 2);
    pen.fillStyle = ink;
    pen.fillText(short(token).slice(0, 15), 0, 0);
    pen.restore();
    if (field) {
      pen.fillStyle = colour(`--s${field - 2}`);
      pen.fillRect(LEFT + j * CELL, TOP - 5, CELL, 3);
    }
  });
  pen.fillStyle = colour("--s0");
  rows.forEach((_, i) => columns.forEach((__, j) => {
    pen.globalAlpha = Math.min(1, 0.04 + Math.sqrt(data.weights[i][j]));
    pen.fillRect(LEFT + j * CELL, TOP + i * CELL, CELL - 1, CELL - 1);
  }));
  pen.globalAlpha = 1;
  if (chosen >= 0) {
    pen.strokeStyle = colour("--s1");
    pen.lineWidth = 1.5;
    pen.strokeRect(LEFT - 0.5, TOP + chosen * CELL - 0.5, columns.length * CELL, CELL);
  }
}

function place(event) {
  const i = Math.floor((event.offsetY - TOP) / CELL), j = Math.floor((event.offsetX - LEFT) / CELL);
  return data && i >= 0 && i < data.written.length && j >= 0 && j < data.source.length ? [i, j] : null;
}

layer.addEventListener("change", load);
head.addEventListener("change", load);
row.addEventListener("change", draw);
heat.addEventListener("click", (event) => {
  const at = place(event);
  if (!at) return;
  row.value = row.value === String(at[0]) ? "" : String(at[0]);
  draw();
});
heat.addEventListener("pointermove", (event) => {
  const at = place(event);
  if (at) $(".under", dialog).textContent = `${short(data.written[at[0]])} looks at ${short(data.source[at[1]])}: ${data.weights[at[0]][at[1]].toFixed(3)}`;
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
