// Types of the variables and the theories in which the problem stands: shown, and changed in place.

import { call } from "./api.js";
import { $, make } from "./dom.js";

const USUAL = "Complex_Main";
const list = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);

// Why little can be proved: an open type has only the laws of its classes.
export function whyOpen(open) {
  const { variables, classes } = open[0];
  return `${list(variables)} may be of any type with ${list(classes)}: only what holds for all such types can be proved.`;
}

export class ContextView {
  constructor(root, proof, on) {
    Object.assign(this, { root, proof, on, open: [], read: null });
    this.theories = make("datalist", { id: "theories" });
  }

  // What the server read: types, the world, types that are open.
  show(answer) {
    this.read = answer;
    this.open = answer?.open ?? [];
    if (!this.root.contains(document.activeElement) || document.activeElement.tagName !== "INPUT") this.render();
  }
  // A type or an import that cannot be: said beside it.
  wrong(field, message) {
    this.render();
    const input = $(`[data-field="${CSS.escape(field.split("[")[0])}"]`, this.root);
    input?.setAttribute("aria-invalid", "true");
    (input?.closest("div") ?? this.root).append(make("p", { class: "message", role: "alert" }, message));
    input?.focus();
  }

  render() {
    const { types, imports, example, origin } = this.proof.now;
    const shown = (example && origin?.types) || this.read?.types || {};
    const names = [...new Set([...Object.keys(shown), ...Object.keys(types).filter((name) => !example)])];
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.field : null;
    this.root.replaceChildren(
      ...this.open.map((each) => this.offer(each)),
      names.length ? make("div", { class: "types" }, ...names.map((name) => this.type(name, shown[name] ?? "", types[name]))) : "",
      make("div", { class: "world" }, make("label", {}, "in theory ", this.imports(imports)), this.theories));
    if (focused) $(`[data-field="${CSS.escape(focused)}"]`, this.root)?.focus();
  }

  // What is offered first; from there, or where nothing is, the field in which any type is written.
  focusType() {
    const offered = $(".offer button", this.root), within = document.activeElement?.closest(".offer");
    (within || !offered ? $(".type input", this.root) : offered)?.focus();
  }
  focusImports() {
    $(".world input", this.root)?.focus();
  }

  offer(open) {
    const choose = (reading) => () => {
      this.proof.setType(open.variables[0], reading);
      this.on.changed();
    };
    return make("div", { class: "offer", role: "group", "aria-label": `type of ${open.variables.join(", ")}` },
      make("span", {}, `${whyOpen([open])} Are they numbers?`),
      ...open.readings.map((reading) => make("button", { type: "button", "data-field": `offer.${open.variables[0]}.${reading}`, onclick: choose(reading), title: `${open.variables[0]} :: ${reading}` }, reading)));
  }

  // Given types are in ink, those that follow from the statements are in the background.
  type(name, shown, given) {
    const input = make("input", {
      "data-field": `types.${name}`, "aria-label": `type of ${name}`, placeholder: shown || "any type", size: String(Math.max(4, Math.min(28, (shown || "any type").length))),
      autocomplete: "off", autocapitalize: "off", spellcheck: "false", title: given ? "given; empty it to let it be inferred" : "inferred; write another one to fix it",
    });
    input.value = given ? shown || given : "";
    const before = input.value;
    const take = () => {
      if (input.value.trim() === before.trim()) return;
      this.proof.setType(name, input.value);
      this.on.changed();
    };
    return make("div", { class: "type" }, make("label", {}, make("code", {}, `${name} ::`), input), this.watch(input, take));
  }

  imports(imports) {
    const input = make("input", {
      "data-field": "imports", list: "theories", "aria-label": "theories in which the problem stands", placeholder: this.read?.world ?? USUAL,
      autocomplete: "off", autocapitalize: "off", spellcheck: "false", size: "24", title: "several are separated by blanks; empty: Complex_Main, or the smallest that will do",
    });
    input.value = imports.join(" ");
    const before = input.value;
    this.watch(input, () => {
      if (input.value.trim() === before.trim()) return;
      this.proof.setImports(input.value.split(/[\s,]+/).filter(Boolean));
      this.on.changed();
    });
    const offer = async () => {
      try {
        const { theories } = await call(`/theories?${new URLSearchParams({ query: input.value.split(/[\s,]+/).pop(), limit: 12 })}`);
        this.theories.replaceChildren(...theories.map((value) => make("option", { value })));
      } catch {
        // a list to choose from is a help, no need
      }
    };
    input.addEventListener("focus", offer);
    input.addEventListener("input", offer);
    return input;
  }

  watch(input, take) {
    input.addEventListener("change", take);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      input.blur(); // which is a change where something was changed
    });
    return "";
  }
}
