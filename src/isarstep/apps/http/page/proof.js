// Shows the proof: facts, accepted steps with the gaps between, goal. A statement turns into a text field when it is clicked.

import { drawn, make, spoken } from "./dom.js";
import { editor } from "./editor.js";
import { closed } from "./state.js";

export class ProofView {
  constructor(root, proof, on) {
    Object.assign(this, { root, proof, on, editing: null, field: null, checking: new Set() }); // checking: steps that provers are at work on
  }

  edit(key) {
    if (this.editing === key) return;
    this.stopEditing(false);
    this.editing = key;
    this.before = this.proof.find(key)?.text;
    this.render();
    this.field?.area.focus();
    this.field?.area.setSelectionRange(9e9, 9e9);
  }

  // Room for a step of one's own.
  writeStep(place) {
    this.stopEditing(false);
    this.edit(this.proof.addStep(place));
  }

  // Editing ends: the text counts, and an empty line goes away.
  stopEditing(keepFocus = true) {
    if (this.editing === null) return;
    const key = this.editing, text = this.field?.area.value ?? "", statement = this.proof.find(key);
    const place = this.proof.now.steps.findIndex((each) => each.key === key), before = this.before;
    this.editing = this.field = null;
    if (statement) {
      this.proof.setText(key, text);
      this.proof.typing = null;
      const spare = this.proof.now.facts.length > 1 || !this.proof.now.facts.includes(statement);
      if (!text.trim() && this.proof.now.goal !== statement && spare) this.proof.remove(key);
    }
    this.on.changed();
    if (place >= 0 && text.trim() && text !== before) this.on.written(key);
    if (keepFocus) (this.root.querySelector(`[data-key="${key}"] .show`) ?? this.root.querySelector(".add"))?.focus();
  }

  // New answers from the server about the texts.
  refreshReadings(readings) {
    if (this.editing !== null && readings.has(this.editing)) this.field?.show(readings.get(this.editing));
  }

  render() {
    const { facts, others, steps, goal, gaps, active } = this.proof.now;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.closest("[data-key]")?.dataset.key : null;
    const kept = this.field?.root ?? null;
    const children = [
      make("section", { class: "group facts", "aria-label": "Known facts" }, make("h3", {}, "Known"),
        ...facts.map((each, i) => this.row(each, `fact ${i + 1}`, "a fact, such as  x ≠ 0", true)),
        make("button", { type: "button", class: "add", "data-key": "add", onclick: () => this.edit(this.proof.add("facts")) }, "+ add a fact")),
    ];
    steps.forEach((each, i) => {
      children.push(this.gap(i, gaps[i], active), make("section", { class: "group step", "aria-label": `Step ${i + 1}` },
        make("h3", {}, `Step ${i + 1}`), this.row(each, `step ${i + 1}`, "a step", true)));
    });
    children.push(this.gap(steps.length, gaps[steps.length], active));
    children.push(make("section", { class: "group goal", "aria-label": "Goal" }, make("h3", {}, "Goal"),
      this.row(goal, "the goal", "what you want to show, such as  0 < x²", false)));
    const also = make("details", { class: "group others", open: others.length > 0 },
      make("summary", {}, others.length ? "Also known, used for the goal" : "More facts, used only for the goal"),
      ...others.map((each, i) => this.row(each, `further fact ${i + 1}`, "a fact or lemma", true)),
      make("button", { type: "button", class: "add", "data-key": "add-other", onclick: () => this.edit(this.proof.add("others")) }, "+ add"));
    children.push(also);
    this.root.replaceChildren(...children);
    if (this.editing === null) this.field = null;
    if (kept && this.editing !== null) this.field?.area.focus();
    else if (focused) (this.root.querySelector(`[data-key="${focused}"] .show`) ?? this.root.querySelector(`button[data-key="${focused}"]`))?.focus();
  }

  row(each, label, placeholder, removable) {
    const row = make("div", { class: `statement${each.error && this.editing !== each.key ? " wrong" : ""}`, "data-key": String(each.key) });
    if (this.editing === each.key) {
      if (this.field?.key !== each.key) {
        this.field = editor({
          text: each.text, label, onDone: () => this.stopEditing(),
          onInput: (text) => this.on.typed(each.key, text),
          onLemma: (text) => { this.editing = this.field = null; this.on.pasted(text); },
        });
        this.field.key = each.key;
        this.field.root.addEventListener("focusout", (event) => {
          // Leaving the field ends editing, unless the page itself is being redrawn or left.
          if (!this.field || this.field.key !== each.key || this.field.root.contains(event.relatedTarget) || !document.hasFocus()) return;
          if (event.relatedTarget === null && !this.field.root.isConnected) return;
          setTimeout(() => {
            if (this.editing === each.key && !this.field?.root.contains(document.activeElement)) this.stopEditing(false);
          }, 120);
        });
        if (each.text || each.error) this.field.show(each);
      }
      row.append(this.field.root);
      return row;
    }
    const shown = make("button", { type: "button", class: "show" }, spoken(`${label}: ${each.text || placeholder}. Edit`),
      each.text ? drawn(each) : make("span", { class: "placeholder", "aria-hidden": "true" }, placeholder));
    shown.addEventListener("click", () => this.edit(each.key));
    row.append(shown);
    if (removable && (each.text || this.proof.now.facts.length > 1)) {
      row.append(make("button", { type: "button", class: "remove", "aria-label": `Remove ${label}`, title: `Remove ${label}`, onclick: () => { this.proof.remove(each.key); this.on.changed(); } }, "✕"));
    }
    if (each.error) row.append(make("p", { class: "message", role: "alert" }, each.error.message));
    return row;
  }

  gap(place, gap, active) {
    if (closed(gap)) {
      return make("div", { class: "gap proved", title: gap.text }, `✓ closed by ${gap.by ?? "a prover"}${gap.library ? " with library facts" : ""}`);
    }
    const { steps } = this.proof.now, around = [steps[place - 1], steps[place]];
    if (around.some((each) => each && this.checking.has(each.key))) return make("div", { class: "gap open wait", role: "status" }, "provers are at work …");
    const here = place === active;
    const words = here ? "? the missing step goes here" : "open: ask about this gap";
    const small = (key, said, title, onclick) => make("button", { type: "button", class: "small", "data-key": `${key}-${place}`, title, onclick }, said);
    return make("div", { class: `gap open${here ? " active" : ""}` },
      make("button", { type: "button", "data-key": `gap-${place}`, "aria-pressed": String(here), title: gap?.text ?? null,
        onclick: () => (here ? this.on.ask() : this.on.choose(place)) }, words),
      here ? small("own", "write it yourself", "Write the step yourself and have it checked (o)", () => this.writeStep(place)) : null,
      here ? small("try", "let provers try", "Let provers close the gap as it is (p)", () => this.on.tryGap(place)) : null,
      !here && gap?.result ? make("span", { class: "soft" }, gap.result === "timeout" ? "not proved in time" : gap.result.replace("_", " ")) : null);
  }
}
