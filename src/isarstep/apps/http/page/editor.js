// A field for one statement: text with the mistake underlined where it is, a preview, and symbols to tap.

import { cut, formula, make } from "./dom.js";

const NAMES = {
  forall: "∀", exists: "∃", and: "∧", or: "∨", not: "¬", implies: "⟶", longrightarrow: "⟶", Longrightarrow: "⟹", iff: "⟷", le: "≤", leq: "≤",
  ge: "≥", geq: "≥", noteq: "≠", neq: "≠", ne: "≠", in: "∈", notin: "∉", subseteq: "⊆", subset: "⊂", union: "∪", un: "∪", cup: "∪", inter: "∩",
  int: "∩", cap: "∩", emptyset: "∅", lambda: "λ", sum: "∑", prod: "∏", infinity: "∞", infty: "∞", times: "×", circ: "∘", equiv: "≡", alpha: "α",
  beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", pi: "π", mu: "μ", sigma: "σ", And: "⋀", Rightarrow: "⇒",
};
export const LEMMA = /^\s*(theory|lemma|theorem|corollary|proposition|have|show|hence|thus)\s/; // how a statement of a theory begins
const TAPPED = ["∀", "∃", "⟹", "⟶", "∧", "∨", "¬", "=", "≠", "≤", "<", "∈", "⊆", "∪", "∩", "∅", "λ", "∑"];

export function editor({ text, label, onInput, onDone, onLemma }) {
  const area = make("textarea", { rows: 1, spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": label });
  area.value = text;
  const marks = make("div", { class: "marks", "aria-hidden": "true" });
  const field = make("div", { class: "field" }, marks, area);
  const message = make("p", { class: "message", role: "status", hidden: true });
  message.id = `message-${Math.random().toString(36).slice(2)}`;
  area.setAttribute("aria-describedby", message.id);
  const preview = make("div", { class: "preview" });
  const symbols = make("div", { class: "symbols", role: "group", "aria-label": "symbols" },
    ...TAPPED.map((symbol) => make("button", { type: "button", tabindex: "-1", onpointerdown: (event) => { event.preventDefault(); insert(symbol); } }, symbol)),
    make("button", { type: "button", class: "done", onclick: () => onDone() }, "Done"));
  const root = make("div", { class: "edit" }, field, message, preview, symbols);

  function plain() {
    marks.replaceChildren(area.value + "\u200b");
  }
  function insert(symbol) {
    area.setRangeText(symbol, area.selectionStart, area.selectionEnd, "end");
    changed();
  }
  function changed() {
    const before = area.value.slice(0, area.selectionStart), named = before.match(/(?:\\([A-Za-z]+)|(\/\\|\\\/)) $/);
    const symbol = named && (NAMES[named[1]] ?? { "/\\": "∧", "\\/": "∨" }[named[2]]);
    if (symbol) area.setRangeText(symbol + " ", before.length - named[0].length, before.length, "end");
    plain();
    onInput(area.value);
  }

  area.addEventListener("input", changed);
  area.addEventListener("paste", (event) => {
    const pasted = event.clipboardData?.getData("text") ?? "";
    if (!LEMMA.test(pasted)) return;
    event.preventDefault();
    onLemma(pasted);
  });
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      onDone();
    }
  });
  plain();

  return {
    root, area,
    // What the server says about the text as it stands now.
    show(reading) {
      const error = reading?.error ?? null;
      field.classList.toggle("wrong", error !== null);
      message.hidden = error === null;
      area.setAttribute("aria-invalid", String(error !== null));
      if (error === null) {
        plain();
        message.textContent = "";
        preview.replaceChildren(reading?.mathml ? formula(reading) : "");
        return;
      }
      const [before, inside, after] = cut(area.value, error.position, error.end);
      marks.replaceChildren(before, make("mark", {}, inside || "\u00a0\u00a0"), after + "\u200b");
      message.textContent = error.message;
      preview.replaceChildren();
    },
  };
}
