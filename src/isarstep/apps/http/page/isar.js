// The proof as Isar text, which follows the proof; copying it, the one thing that is called copying here; and the file.

import { call } from "./api.js";
import { $, copyText, make } from "./dom.js";
import { closed } from "./state.js";

const text = $("#isar-text"), button = $("#copy"), download = $("#download");
let timer = 0, writer = null, theory = null;
const waits = []; // who waits for the text to follow the proof

export function ageIsar() {
  writer?.abort();
  text.classList.add("stale");
}

export function emptyIsar() {
  text.textContent = "";
  download.hidden = true;
}

// `readable`: the last texts of the proof that could be read.
export function writeIsar(proof, readable) {
  ageIsar();
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const { gaps } = proof.now;
    if (!readable?.goal || gaps.length !== readable.extra.length + 1) return;
    const mine = (writer = new AbortController());
    try {
      const answer = await call("/isar", { ...readable, proved: gaps.map((gap) => (closed(gap) ? { by: gap.by, facts: gap.facts } : null)) }, mine.signal);
      if (mine !== writer) return;
      text.textContent = answer.isar;
      theory = answer.theory;
      download.hidden = !theory;
      text.classList.remove("stale");
      waits.splice(0).forEach((go) => go());
    } catch (error) {
      if (error.name !== "AbortError" && mine === writer) text.textContent = `(${error.title ?? "not available"}: ${error.message})`; // and it stays marked as not current
    }
  }, 60);
}

async function ready(element) {
  if (text.classList.contains("stale")) await new Promise((go) => { waits.push(go); setTimeout(go, 4000); });
  if (!text.classList.contains("stale")) return true;
  flash(element, "Not ready");
  return false;
}

export async function copyIsar() {
  if (!(await ready(button))) return;
  await copyText(text.textContent);
  flash(button, "Copied");
}

download.addEventListener("click", async () => {
  if (!(await ready(download)) || !theory) return;
  const link = make("a", { href: URL.createObjectURL(new Blob([theory], { type: "text/plain" })), download: "Scratch.thy" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a browser may fetch it later than it is clicked
});

export function flash(element, said) {
  const before = (element.dataset.name ??= element.textContent);
  element.textContent = said;
  setTimeout(() => (element.textContent = before), 1400);
}
