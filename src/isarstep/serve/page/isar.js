// The proof as Isar text, which follows the proof, and copying it: the one thing that is called copying here.

import { call } from "./api.js";
import { $, copyText } from "./dom.js";
import { closed } from "./state.js";

const text = $("#isar-text"), button = $("#copy");
let timer = 0, writer = null;
const waits = []; // who waits for the text to follow the proof

export function ageIsar() {
  writer?.abort();
  text.classList.add("stale");
}

export function emptyIsar() {
  text.textContent = "";
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
      text.classList.remove("stale");
      waits.splice(0).forEach((go) => go());
    } catch (error) {
      if (error.name !== "AbortError" && mine === writer) text.textContent = `(${error.title ?? "not available"}: ${error.message})`; // and it stays marked as not current
    }
  }, 60);
}

export async function copyIsar() {
  if (text.classList.contains("stale")) await new Promise((go) => { waits.push(go); setTimeout(go, 4000); });
  if (text.classList.contains("stale")) return flash(button, "Not ready");
  await copyText(text.textContent);
  flash(button, "Copied");
}

export function flash(element, said) {
  const before = (element.dataset.name ??= element.textContent);
  element.textContent = said;
  setTimeout(() => (element.textContent = before), 1400);
}
